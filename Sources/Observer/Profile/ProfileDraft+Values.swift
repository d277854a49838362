import Basics
import Model
import Profiles

/// The notation of locations and values.
extension ProfileDraft {
    static func place(
        of token: Fingerprint?,
        in exchange: ObservedExchange
    ) -> String? {
        let request = exchange.request
        let places = request.presented.filter { $0.fingerprint == token }.compactMap { occurrence in
            switch occurrence.place {
            case .authorization: "bearer"
            case .header: "header:\(occurrence.name)"
            case .cookie: "cookie:\(occurrence.name)"
            case .body:
                occurrence.path.flatMap { path in
                    request.body.map { "\($0.format.rawValue):\(path)" }
                }
            case .query: "query:\(occurrence.name)"
            case .path, .subprotocol, .message: nil as String?
            }
        }
        return places.first
    }

    static func place(issued token: TokenOccurrence) -> String? {
        switch token.place {
        case .cookie: "cookie:\(token.name)"
        case .header, .authorization: "header:\(token.name)"
        case .body, .query, .path, .subprotocol, .message: token.path
        }
    }

    /// The values in a body that are the same in each request: words of the protocol, and flags.
    static func constants(of body: BodyFacts) -> [(String, TOMLDocument.Value)] {
        body.fields.compactMap { field in
            switch field.value {
            case .text(let text): (field.path, .string(text))
            case .texts(let texts): (field.path, .list(texts.map { .string($0) }))
            case .flag(let flag): (field.path, .bool(flag))
            case .token, .credential, .other: nil
            }
        }
    }

    /// The name of a credential: `deviceCode` is `device_code`.
    static func credentialName(_ path: String) -> String {
        let last = path.parts(at: ".").last ?? Substring(path)
        let dash = UInt8(ascii: "_")
        let name = last.utf8.reduce(into: [UInt8]()) { name, byte in
            if byte.asciiLowercased != byte, name.last ?? dash != dash { name.append(dash) }
            name.append(byte.isAlphanumeric ? byte.asciiLowercased : dash)
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns fields as an inline table, those of nested objects as tables in tables, and those of the
    /// elements of a list, whose names are indexes, as a list.
    static func table(_ fields: [(String, TOMLDocument.Value)]) -> TOMLDocument.Value {
        var order: [String] = []
        var groups: [String: [(String, TOMLDocument.Value)]] = [:]
        for (path, value) in fields {
            let parts = path.parts(at: ".", limit: 2, keepsEmpty: true)
            let key = String(parts[0])
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append((parts.count > 1 ? String(parts[1]) : "", value))
        }
        let members = order.map { key in
            let inner = groups[key] ?? []
            return (key, inner[0].0.isEmpty ? inner[0].1 : table(inner))
        }
        let isList = order.enumerated().allSatisfy { String($0.offset) == $0.element }
        return isList ? .list(members.map(\.1)) : .table(members)
    }
}
