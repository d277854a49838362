import Basics

/// The parts of a base URL, before they are validated.
struct URLParts {
    let isSecure: Bool
    /// Empty, or with a leading slash.
    var path: String
    private let authority: Substring

    init(_ text: String) throws(BackendOriginError) {
        guard !text.isEmpty else { throw .empty }
        guard let mark = text.range(ofBytes: "://") else { throw .noScheme(Self.shown(text)) }
        let scheme = text[..<mark.lowerBound].asciiLowercased
        guard Self.isScheme(scheme) else { throw .noScheme(Self.shown(text)) }
        guard scheme == "http" || scheme == "https" else { throw .unknownScheme(scheme) }
        isSecure = scheme == "https"
        let rest = text[mark.upperBound...]
        authority = Substring(rest.utf8.prefix { !"/?#\\".utf8.contains($0) })
        let tail = rest[authority.endIndex...]
        if authority.has("@") { throw .userInfo }
        if tail.has("#") { throw .fragment }
        if tail.has("?") { throw .query }
        path = String(tail)
    }

    var host: OriginHost {
        get throws(BackendOriginError) {
            let text = String(authority[..<portMark])
            guard authority.has("]") || authority.utf8.count(where: { $0 == UInt8(ascii: ":") }) < 2
            else {
                throw .badHost(String(authority))
            }
            guard !text.isEmpty else { throw .noHost }
            guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .foreignHost(text) }
            guard let host = OriginHost(text) else { throw .badHost(text) }
            return host
        }
    }

    /// The port, or `nil` if there is none.
    var port: Int? {
        get throws(BackendOriginError) {
            guard portMark < authority.endIndex else { return nil }
            let text = Substring(authority[portMark...].utf8.dropFirst())
            guard text.utf8.count <= 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = Int(text), (1...65_535).contains(port)
            else { throw .badPort(String(text)) }
            return port
        }
    }

    /// The index of the colon before the port, or the end.
    private var portMark: Substring.Index {
        let afterAddress = authority.unicodeScalars.lastIndex(of: "]") ?? authority.startIndex
        return authority[afterAddress...].unicodeScalars.firstIndex(of: ":") ?? authority.endIndex
    }

    private static func isScheme(_ text: String) -> Bool {
        text.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            }
    }

    /// Returns the text, or `nil` if it might contain a secret.
    private static func shown(_ text: String) -> String? {
        text.utf8.contains { "@?#".utf8.contains($0) } ? nil : text
    }
}
