import Basics
import Glibc

/// The hosts of `NO_PROXY`, to which connections are direct.
///
/// An entry is `*`, a host, which includes those below it, an address, or a range of addresses such
/// as `10.0.0.0/8`, with or without a port.
struct ProxyExceptions: Sendable, Equatable {
    private enum Pattern: Sendable, Equatable {
        case all
        case name(String)
        case range([UInt8], bits: Int)
    }

    private struct Entry: Sendable, Equatable {
        var pattern: Pattern
        var port: Int?
    }

    private let entries: [Entry]

    init(_ text: String = "") {
        entries = text.utf8.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
            .map { Self.entry(String(Substring($0))) }
    }

    func contains(_ origin: BackendOrigin) -> Bool {
        entries.contains { entry in
            (entry.port ?? origin.port) == origin.port && Self.matches(entry.pattern, origin.host)
        }
    }

    private static func matches(_ pattern: Pattern, _ host: OriginHost) -> Bool {
        switch (pattern, host) {
        case (.all, _): return true
        case (.name(let suffix), .name(let name)):
            let bare = name.part(upTo: ".").map(String.init) ?? name
            return bare == suffix || bare.ends(with: ".\(suffix)")
        case (.range(let network, let bits), .ipv4(let text)),
            (.range(let network, let bits), .ipv6(let text)):
            guard let address = bytes(of: text), address.count == network.count else {
                return false
            }
            return (0..<bits).allSatisfy { bit in
                let mask: UInt8 = 0x80 >> (bit % 8)
                return address[bit / 8] & mask == network[bit / 8] & mask
            }
        case (.name, _), (.range, .name): return false
        }
    }

    private static func entry(_ text: String) -> Entry {
        if text == "*" { return Entry(pattern: .all) }
        let halves = text.parts(at: "/", limit: 2).map(String.init)
        if let range = range(halves[0], bits: halves.count > 1 ? halves[1] : nil) {
            return Entry(pattern: range)
        }
        let bracket = text.unicodeScalars.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[bracket...].unicodeScalars.lastIndex(of: ":"),
            let port = Int(text[text.unicodeScalars.index(after: colon)...])
        {
            let host = String(text[..<colon])
            return Entry(pattern: range(host, bits: nil) ?? name(host), port: port)
        }
        return Entry(pattern: name(text))
    }

    private static func name(_ text: String) -> Pattern {
        let bare = text.part(after: "*.") ?? Substring(text.unicodeScalars.drop { $0 == "." })
        return .name(bare.asciiLowercased)
    }

    /// Returns the range, or `nil` if the text is no address, or the number of bits is impossible.
    private static func range(_ text: String, bits: String?) -> Pattern? {
        let inner = text.part(after: "[")?.part(upTo: "]")
        guard let address = bytes(of: inner.map(String.init) ?? text)
        else { return nil }
        let all = address.count * 8
        guard let bits else { return .range(address, bits: all) }
        guard let count = Int(bits), (0...all).contains(count) else { return nil }
        return .range(address, bits: count)
    }

    private static func bytes(of text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var address = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &address) == 1 { return address }
        }
        return nil
    }
}
