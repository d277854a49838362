import Basics

/// The host by which a request names its server: that of a `Host` field or of an origin, without
/// its port.
///
/// A page can reach a server on its reader's machine under a name of its own that resolves to that
/// machine (DNS rebinding). Its browser takes the two for one origin; the name in `Host` tells them
/// apart.
package struct RequestHost: Sendable, Hashable {
    /// The host in lower case, without the dot at the end of a name; an IPv6 address without its
    /// brackets.
    package let name: String
    /// The port, or `nil` if it names none.
    package let port: UInt16?
    private let isIPv6: Bool

    /// Parses an authority; `nil` if it has no host, or more than a host and a port.
    package init?(_ authority: String) {
        guard authority.utf8.allSatisfy(Self.isByte) else { return nil }
        let text = authority.asciiLowercased
        let host: Substring
        let rest: Substring
        if text.begins(with: "["), let end = text.unicodeScalars.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            isIPv6 = true
        } else {
            host = text.part(before: ":")
            rest = text.dropFirst(host.count)
            isIPv6 = false
        }
        if rest.isEmpty {
            port = nil
        } else {
            guard rest.begins(with: ":"), let number = UInt16(rest.dropFirst()) else { return nil }
            port = number
        }
        let dotless = host.ends(with: ".") ? host.dropLast() : host
        guard !dotless.isEmpty, !dotless.has("["), !dotless.has("]") else { return nil }
        name = String(dotless)
    }

    /// Whether it is an address, which no page can have as its name unless it comes from there.
    package var isAddress: Bool { isIPv6 || isIPv4 }

    /// Whether it always refers to this machine: `localhost`, the names below it (RFC 6761 section
    /// 6.3), 127.0.0.0/8 and `::1`.
    package var isLoopback: Bool {
        if isIPv6 { return isLoopback6 }
        if isIPv4 { return name.begins(with: "127.") }
        return name == "localhost" || name.ends(with: ".localhost")
    }

    /// The name before `.localhost`, or `nil` if there is none.
    package var subdomain: String? {
        name.ends(with: ".localhost") ? String(name.dropLast(".localhost".count)) : nil
    }

    private var isIPv4: Bool {
        let parts = name.parts(at: ".", keepsEmpty: true)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
                    && UInt8(part) != nil && (part == "0" || !part.begins(with: "0"))
            }
    }

    /// Whether all groups are zero but the last, which is one.
    private var isLoopback6: Bool {
        let groups = name.parts(at: ":", keepsEmpty: true)
        guard groups.count == 8 || name.containsBytes(of: "::") && groups.count < 8,
            let last = groups.last
        else { return false }
        return UInt16(last, radix: 16) == 1
            && groups.dropLast().allSatisfy { $0.utf8.allSatisfy { $0 == UInt8(ascii: "0") } }
    }

    private static func isByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.:[]".utf8.contains(byte)
        }
    }
}
