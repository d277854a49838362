import Basics
import Profiles

/// The hosts whose connections a forward proxy opens; those to all others pass through it unseen.
package struct ForwardedHosts: Sendable, Hashable {
    /// A name, or the names below one.
    private struct Pattern: Sendable, Hashable {
        /// In lower case, without `*.` and without the dot at the end.
        let name: String
        let isBelow: Bool

        func matches(_ host: String) -> Bool {
            isBelow ? host.ends(with: ".\(name)") : host == name
        }
    }

    private static let limit = 64

    private let patterns: [Pattern]

    /// Parses names that are separated by commas, such as `api.example.com,*.example.org`.
    ///
    /// - Parameter texts: The values of the option.
    /// - Throws: `ForwardedHostError`, which says what was expected.
    package init(parsing texts: [String]) throws(ForwardedHostError) {
        var patterns: [Pattern] = []
        for text in texts.flatMap({
            $0.parts(at: ",", keepsEmpty: true).map { String($0.trimmingBlanks) }
        }) {
            patterns.append(try Self.pattern(text))
        }
        guard patterns.count <= Self.limit else { throw .tooMany(Self.limit) }
        self.patterns = patterns
    }

    private static func pattern(_ text: String) throws(ForwardedHostError) -> Pattern {
        guard text != "*" else { throw .everything(text) }
        let isBelow = text.begins(with: "*.")
        let name = isBelow ? String(Substring(text.utf8.dropFirst(2))) : text
        guard let host = RequestHost(name), host.port == nil, host.name.utf8.count <= 253 else {
            throw .noName(text)
        }
        guard !host.isAddress else { throw .address(text) }
        let labels = host.name.parts(at: ".", keepsEmpty: true)
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.begins(with: "-")
                && !label.ends(with: "-")
        }
        guard areLabels else { throw .noName(text) }
        guard !isBelow || labels.count > 1 || host.name == "localhost" else {
            throw .everything(text)
        }
        return Pattern(name: host.name, isBelow: isBelow)
    }

    /// Whether connections to a host are opened.
    func contains(_ host: RequestHost) -> Bool {
        !host.isAddress && patterns.contains { $0.matches(host.name) }
    }

    /// The names to which an authority for them is constrained; each stands for those below it, too
    /// (RFC 5280 section 4.2.1.10).
    var constraints: [String] { patterns.map(\.name) }

    /// Whether one of them is `localhost`, or a name below it.
    package var areLocal: Bool {
        patterns.contains { $0.name == "localhost" || $0.name.ends(with: ".localhost") }
    }

    /// The names as they are written, such as `*.example.com`.
    package var names: [String] { patterns.map { $0.isBelow ? "*.\($0.name)" : $0.name } }
}

/// Why hosts cannot be forwarded.
package enum ForwardedHostError: Error, Sendable, Equatable, CustomStringConvertible {
    case noName(String)
    case address(String)
    case everything(String)
    case tooMany(Int)

    package var description: String {
        switch self {
        case .noName(let text):
            "\"\(text.inOneLine(limit: 80))\" is no host name: expected such as api.example.com or "
                + "*.example.com, without a scheme, port or path"
        case .address(let text):
            "\(text.inOneLine(limit: 80)) is an address: expected a host name, such as localhost"
        case .everything(let text):
            "\(text.inOneLine(limit: 80)) is too wide: expected the names of your own hosts, such as "
                + "*.example.com"
        case .tooMany(let limit): "expected at most \(limit) names"
        }
    }
}
