import Basics
import Model
import Profiles

/// A request of the log as a command for a shell, which sends it again with the variable `TOKEN` in
/// place of the access token.
///
/// It contains no secret: the log has none. A body is not logged, so that the variable `BODY` is in
/// its place.
struct CurlCommand {
    private let exchange: Exchange
    private let baseURL: String
    private let template: RequestTemplate?

    /// - Parameters:
    ///   - exchange: The request.
    ///   - baseURL: The backend's URL.
    ///   - template: The dialect's request with the token, or `nil` if a recording does not say it:
    ///     then the command lacks the token, unless the URL has it.
    init(_ exchange: Exchange, baseURL: String, template: RequestTemplate?) {
        self.exchange = exchange
        self.baseURL = baseURL
        self.template = template
    }

    /// The command in one line, without a line break: a shell runs a pasted line only when its user
    /// has ended it.
    var text: String {
        var parts = ["curl", "-i"]
        if exchange.method == "HEAD" {
            parts.append("-I")
        } else if exchange.method != "GET" {
            parts += ["-X", Self.quoted(exchange.method)]
        }
        for header in headers { parts += ["-H", Self.quoted("\(header.name): \(header.value)")] }
        if let body { parts += body }
        let url = url
        // curl expands these.
        if url.unicodeScalars.contains(where: { "[]{}".unicodeScalars.contains($0) }) {
            parts.append("-g")
        }
        // A recording may have anything for a URL, also what curl would take for an option.
        if !url.utf8.starts(with: "http".utf8) { parts.append("--url") }
        parts.append(Self.quoted(url))
        return parts.joined(separator: " ")
    }

    /// The URL, whose host no target changes.
    private var url: String {
        let target = target
        return baseURL + (target.utf8.first == UInt8(ascii: "/") ? "" : "/") + target
    }

    private static var fingerprint: Regex<Substring> {
        /‹[0-9a-f]{8}›/.matchingSemantics(.unicodeScalar)
    }

    /// The target with variables in place of fingerprints.
    private var target: String {
        exchange.target.replacing(Self.fingerprint) { match in
            let isOwn =
                exchange.purpose == .protected
                && match.output == exchange.fingerprint?.description ?? ""
            return isOwn ? RequestTemplate.tokenPlaceholder : RequestTemplate.otherSecret
        }
    }

    private var headers: [WireHeader] {
        guard exchange.purpose == .protected else { return [] }
        // To curl, `@` before a name means a file.
        return (template?.headers ?? []).filter { RequestSyntax.isToken($0.name) }
    }

    /// Whether the request carried a token whose place is not known.
    var lacksToken: Bool {
        exchange.purpose == .protected && exchange.fingerprint != nil && template == nil
            && !target.contains(RequestTemplate.tokenPlaceholder)
    }

    /// The option that sends a body.
    ///
    /// One that is written out is no name of a file, even if it begins with `@`.
    private var body: [String]? {
        if exchange.purpose == .protected, let template, !template.body.isEmpty {
            return ["--data-raw", Self.quoted(template.body)]
        }
        let hasBody = ["POST", "PUT", "PATCH"].contains(exchange.method)
        return hasBody ? ["--data", "\"$BODY\""] : nil
    }

    private static let variables: [ShellWord.Variable] = [
        (Array(RequestTemplate.tokenPlaceholder.unicodeScalars), "TOKEN"),
        (Array(RequestTemplate.otherSecret.unicodeScalars), "SECRET"),
    ]

    private static func quoted(_ text: String) -> String {
        ShellWord.quoted(text, expanding: variables)
    }
}
