import Basics
import NIOCore

/// The host of an origin: a name, or an address in its wire format.
enum OriginHost: Sendable, Hashable {
    /// A name in lower case, with letters, digits, `-`, `_` and `.` only.
    case name(String)
    /// Four decimal numbers.
    case ipv4(String)
    /// An address without its brackets.
    case ipv6(String)

    /// Parses a host; `nil` if it is none of the three.
    ///
    /// The short and octal forms of an IPv4 address that a resolver would accept (`127.1`,
    /// `0177.0.0.1`) are rejected.
    init?(_ text: String) {
        if text.begins(with: "[") {
            guard let inner = text.part(after: "[")?.part(upTo: "]")?.asciiLowercased else {
                return nil
            }
            guard inner.utf8.allSatisfy(Self.isIPv6Byte), Self.address(inner)?.protocol == .inet6
            else { return nil }
            self = .ipv6(inner)
        } else if Self.octets(of: text) != nil {
            self = .ipv4(text)
        } else {
            guard Self.isName(text) else { return nil }
            self = .name(text.asciiLowercased)
        }
    }

    /// The host as in a URL and in a `Host` header.
    var written: String {
        switch self {
        case .name(let text), .ipv4(let text): text
        case .ipv6(let text): "[\(text)]"
        }
    }

    /// The host as a resolver expects it.
    var bare: String {
        switch self {
        case .name(let text), .ipv4(let text), .ipv6(let text): text
        }
    }

    /// Whether it is `localhost` or a name below it, which belong to this machine (RFC 6761 section
    /// 6.3).
    var isLocalName: Bool {
        guard case .name(let name) = self else { return false }
        let bare = name.part(upTo: ".").map(String.init) ?? name
        return bare == "localhost" || bare.ends(with: ".localhost")
    }

    /// Whether requests stay on this machine.
    var isLoopback: Bool {
        switch self {
        case .name: isLocalName
        case .ipv4(let text): Self.octets(of: text)?.first == 127
        case .ipv6(let text): Self.address(text) == Self.address("::1")
        }
    }

    private static func address(_ text: String) -> SocketAddress? {
        try? SocketAddress(ipAddress: text, port: 0)
    }

    private static func isIPv6Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
        }
    }

    private static func octets(of text: String) -> [UInt8]? {
        let parts = text.parts(at: ".", keepsEmpty: true)
        let octets = parts.compactMap { part -> UInt8? in
            guard part.utf8.allSatisfy(isDigit), part == "0" || !part.begins(with: "0") else {
                return nil
            }
            return UInt8(part)
        }
        return parts.count == 4 && octets.count == 4 ? octets : nil
    }

    private static func isName(_ text: String) -> Bool {
        let bare = text.part(upTo: ".") ?? text[...]
        let labels = bare.parts(at: ".", keepsEmpty: true)
        guard text.utf8.count <= 253, let last = labels.last, !isNumber(last) else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.begins(with: "-")
                && !label.ends(with: "-")
                && label.utf8.allSatisfy(isNameByte)
        }
    }

    /// Returns whether a resolver would read a host with this last label as an address: digits, or
    /// `0x` and hex digits.
    private static func isNumber(_ label: Substring) -> Bool {
        label.utf8.allSatisfy(isDigit) || label.asciiLowercased.begins(with: "0x")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
