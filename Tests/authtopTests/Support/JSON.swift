import Foundation

/// Any JSON value.
enum JSON: Sendable, Equatable, Decodable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    struct Unreadable: Error, CustomStringConvertible {
        let text: String
        var description: String { "no JSON object: \(text)" }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let list = try? container.decode([JSON].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    static func object(in text: String) throws -> [String: JSON] {
        guard let members = try? JSONDecoder().decode([String: JSON].self, from: Data(text.utf8))
        else { throw Unreadable(text: text) }
        return members
    }

    /// A member, along a path of keys such as `data.accessToken`.
    subscript(path: String) -> JSON? {
        path.split(separator: ".").reduce(self as JSON?) { value, key in
            guard case .object(let members)? = value else { return nil }
            return members[String(key)]
        }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }
}
