import Basics

/// In recordings: `{"blip":{"status":503,"count":2}}`.
extension Fault: Codable {
    /// A name as a key: `noRefreshToken` for `no-refresh-token`.
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
        let container = try decoder.container(keyedBy: Key.self)
        let fault = Fault.ofApp.first { container.contains(Key($0)) }
        guard var fault else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "no experiment of this version"
                )
            )
        }
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

    package func encode(to encoder: any Encoder) throws {
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
