import Tokens

/// What a status says when no rule of the dialect gives the answer a meaning.
enum AnswerClass: Sendable, Hashable {
    case success
    /// We asked wrongly: asking again will not help.
    case clientFault
    case transient

    init(status: Int) {
        switch status {
        case 200..<300: self = .success
        case 300..<400, 400, 404, 405, 415, 422: self = .clientFault
        default: self = .transient
        }
    }

    /// The backend cannot say now, whatever the body holds: never a verdict on a token.
    static func isNeverTerminal(_ status: Int) -> Bool {
        status == 429 || status >= 500
    }
}

extension AnswerFailure {
    /// The words name the request that was answered where it was probably a wrong one.
    init(_ response: WireResponse, _ body: AnswerBody, to request: RequestShape, words: String?) {
        let status = response.status
        switch AnswerClass(status: status) {
        case .success where body.isObject:
            self = .transient(status: status, words: words, retryAfter: response.retryAfter)
        case .success:
            self = .undecodable(status: status, words: Self.unreadable(body, request))
        case .transient:
            self = .transient(status: status, words: words, retryAfter: response.retryAfter)
        case .clientFault:
            let mistake = Self.mistake(status, body, request)
            self = .clientFault(status: status, words: mistake ?? words)
        }
    }

    /// What is wrong with a success that cannot be read.
    static func unreadable(_ body: AnswerBody, _ request: RequestShape) -> String {
        guard body.isHTML else { return "\(body.kind) instead of a JSON object" }
        return "an HTML page instead of JSON: probably a mistake in the profile "
            + "(\(request.line))"
    }

    /// The answers that point at a mistake in the profile; nil for the others.
    private static func mistake(
        _ status: Int,
        _ body: AnswerBody,
        _ request: RequestShape
    ) -> String? {
        switch status {
        case 300..<400:
            "a redirect, which a token never follows: probably a mistake in the profile "
                + "(base URL or \(request.line))"
        case 404:
            "not found: probably a mistake in the profile (\(request.line))"
        case 405:
            "method not allowed: probably a mistake in the profile (\(request.line))"
        default:
            body.isHTML ? unreadable(body, request) : nil
        }
    }
}
