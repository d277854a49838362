import Tokens

/// What a status says when no rule of the dialect gives the answer a meaning.
enum ResponseClass: Sendable, Hashable {
    case success
    /// The request is not understood: asking again will not help.
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

extension ResponseFailure {
    /// The words name the request that was answered where it was probably a wrong one.
    init(_ response: WireResponse, _ body: ResponseBody, to request: RequestShape, message: String?)
    {
        let status = response.status
        switch ResponseClass(status: status) {
        case .success where body.isObject:
            self = .transient(status: status, message: message, retryAfter: response.retryAfter)
        case .success:
            self = .undecodable(status: status, message: Self.unreadable(body, request))
        case .transient:
            self = .transient(status: status, message: message, retryAfter: response.retryAfter)
        case .clientFault:
            let mistake = Self.mistake(status, body, request)
            self = .clientFault(status: status, message: mistake ?? message)
        }
    }

    /// What is wrong with a success that cannot be read.
    static func unreadable(_ body: ResponseBody, _ request: RequestShape) -> String {
        guard body.isHTML else { return "\(body.kind) instead of a JSON object" }
        return "an HTML page instead of JSON: probably a mistake in the profile "
            + "(\(request.line))"
    }

    /// The answers that point at a mistake in the profile, or `nil` for the others.
    private static func mistake(
        _ status: Int,
        _ body: ResponseBody,
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
