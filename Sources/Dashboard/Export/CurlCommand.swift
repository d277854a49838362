package import Dialects
package import Lifecycle
import Tokens

/// A request of the log as a command for a shell, which sends it again with the variable `TOKEN` in
/// place of the access token.
///
/// It contains no secret: the log has none. A body is not logged, so that the variable `BODY` is in
/// its place.
package struct CurlCommand {
    private let record: RequestRecord
    private let baseURL: String
    private let template: RequestTemplate?

    /// - Parameters:
    ///   - record: The request.
    ///   - baseURL: The backend's URL.
    ///   - template: How the dialect sends the token, or `nil` if a recording does not say it: then
    ///     the command lacks the token, unless the URL has it.
    package init(_ record: RequestRecord, baseURL: String, template: RequestTemplate?) {
        self.record = record
        self.baseURL = baseURL
        self.template = template
    }

    package var text: String {
        var parts = ["curl", "-i"]
        if record.method == "HEAD" {
            parts.append("-I")
        } else if record.method != "GET" {
            parts += ["-X", Self.quoted(record.method)]
        }
        for header in headers { parts += ["-H", Self.quoted("\(header.name): \(header.value)")] }
        if let body { parts += ["--data", body] }
        parts.append(Self.quoted(baseURL + target))
        return parts.joined(separator: " ")
    }

    /// The target with variables in place of fingerprints.
    private var target: String {
        record.target.replacing(/‹[0-9a-f]{8}›/) { match in
            let isOwn =
                record.purpose == .protected
                && match.output == record.fingerprint?.description ?? ""
            return isOwn ? RequestTemplate.tokenPlaceholder : RequestTemplate.otherSecret
        }
    }

    private var headers: [WireHeader] {
        record.purpose == .protected ? template?.headers ?? [] : []
    }

    /// Whether the request carried a token whose place is not known.
    package var lacksToken: Bool {
        record.purpose == .protected && record.fingerprint != nil && template == nil
            && !target.contains(RequestTemplate.tokenPlaceholder)
    }

    private var body: String? {
        if record.purpose == .protected, let template, !template.body.isEmpty {
            return Self.quoted(template.body)
        }
        return ["POST", "PUT", "PATCH"].contains(record.method) ? "\"$BODY\"" : nil
    }

    private static let variables = [
        (RequestTemplate.tokenPlaceholder, "TOKEN"), (RequestTemplate.otherSecret, "SECRET"),
    ]

    /// Returns a text as one word of a shell, in which only the variables are expanded.
    private static func quoted(_ text: String) -> String {
        var rest = text.visibleInOneLine[...]
        var word = ""
        while let (range, name) = firstVariable(in: rest) {
            word += literal(rest[..<range.lowerBound]) + "\"$\(name)\""
            rest = rest[range.upperBound...]
        }
        return word + literal(rest, isWhole: word.isEmpty)
    }

    private static func firstVariable(
        in text: Substring
    ) -> (range: Range<Substring.Index>, name: String)? {
        variables.compactMap { placeholder, name in
            text.firstRange(of: placeholder).map { (range: $0, name: name) }
        }.min { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func literal(_ text: Substring, isWhole: Bool = false) -> String {
        text.isEmpty && !isWhole ? "" : "'\(text.replacing("'", with: "'\\''"))'"
    }
}
