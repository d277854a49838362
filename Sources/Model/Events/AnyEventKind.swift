/// An event of any kind, which can be compared, and written to and read from a recording.
@propertyWrapper
package struct AnyEventKind: Sendable, Equatable {
    package var wrappedValue: any EventKind

    package init(wrappedValue: any EventKind) {
        self.wrappedValue = wrappedValue
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.wrappedValue.isEqual(to: right.wrappedValue)
    }
}

/// In a recording it stands under the names in `EventKind.recordedAs`, each in an object of its own.
extension AnyEventKind: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var names = type(of: wrappedValue).recordedAs.split(separator: ".").map(String.init)
        let last = Key(stringValue: names.removeLast())
        var container = encoder.container(keyedBy: Key.self)
        for name in names {
            container = container.nestedContainer(
                keyedBy: Key.self,
                forKey: Key(stringValue: name)
            )
        }
        try container.encode(wrappedValue, forKey: last)
    }

    package init(from decoder: any Decoder) throws {
        var container = try decoder.container(keyedBy: Key.self)
        var path = ""
        while true {
            let next = container.allKeys.lazy.map { (key: $0, path: path + $0.stringValue) }
                .first { EventKinds.recorded.index(forKey: $0.path) != nil }
            guard let next, let kind = EventKinds.recorded[next.path] else {
                let context = DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: ""
                )
                throw DecodingError.typeMismatch((any EventKind).self, context)
            }
            if let kind {
                wrappedValue = try container.decode(kind, forKey: next.key)
                return
            }
            container = try container.nestedContainer(keyedBy: Key.self, forKey: next.key)
            path = next.path + "."
        }
    }
}
