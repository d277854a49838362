import Basics

/// In recordings: `{"blip":{"status":503,"count":2}}`, and `"expiredToken"` for one of authtop's own
/// client.
extension Fault: Codable {
    /// The name in recordings: `noRefreshToken` for `no-refresh-token`.
    var recordedName: String { Key(self).stringValue }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        init(_ fault: Fault) {
            let words = fault.name.parts(at: "-")
            stringValue = words.dropFirst().reduce(String(words[0])) { text, word in
                text + String(word.prefix(1)).asciiUppercased + word.dropFirst()
            }
        }
    }

    package init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            guard let fault = Fault.ofClient.first(where: { $0.recordedName == name }) else {
                throw Self.unknown(at: decoder.codingPath)
            }
            self = fault
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        let fault = Fault.ofApp.first { container.contains(Key($0)) }
        guard var fault else { throw Self.unknown(at: container.codingPath) }
        let values = try container.nestedContainer(keyedBy: Key.self, forKey: Key(fault))
        for parameter in fault.parameters where parameter.usual != nil {
            let key = Key(stringValue: parameter.name.rawValue)
            let value =
                parameter.isFlag
                ? try values.decode(Bool.self, forKey: key) ? 1 : 0
                : try Double(values.decode(Int.self, forKey: key))
            fault.set(value, for: parameter.name)
        }
        self = fault
    }

    private static func unknown(at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: path,
                debugDescription: "no experiment of this version"
            )
        )
    }

    package func encode(to encoder: any Encoder) throws {
        guard place != .client else {
            var container = encoder.singleValueContainer()
            return try container.encode(recordedName)
        }
        var container = encoder.container(keyedBy: Key.self)
        var values = container.nestedContainer(keyedBy: Key.self, forKey: Key(self))
        for parameter in parameters where value(parameter.name) != nil {
            let key = Key(stringValue: parameter.name.rawValue)
            if parameter.isFlag {
                try values.encode(self[parameter.name] == 1, forKey: key)
            } else {
                try values.encode(self[parameter.name], forKey: key)
            }
        }
    }
}
