import Basics

/// The meaning of a status to which no rule of the dialect applies.
enum ResponseClass: Sendable, Hashable {
    case success
    /// The request is invalid; repeating it will not help.
    case clientFault
    case transient

    init(status: Int) {
        switch status {
        case 200..<300: self = .success
        case 300..<400, 400, 404, 405, 415, 422: self = .clientFault
        default: self = .transient
        }
    }

    /// Returns whether the status means that the backend is temporarily unable to decide; such a
    /// response never says anything about a token.
    static func isNeverTerminal(_ status: Int) -> Bool {
        status == 429 || status >= 500
    }
}

extension ResponseFailure {
    /// Classifies a response; the message names the request if it was probably wrong.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - body: Its body.
    ///   - request: The request.
    ///   - message: The backend's own message.
    ///   - captures: The captures that the request sends, if that can explain a 403.
    init(
        _ response: WireResponse,
        _ body: ResponseBody,
        to request: RequestShape,
        message: String?,
        captures: [Capture] = []
    ) {
        let status = response.status
        if !captures.isEmpty, Self.forbidden.contains(status) {
            self = .forbidden(
                status: status,
                message: message,
                captures: captures.map(\.reference)
            )
            return
        }
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

    /// The statuses of a wrong CSRF token: 419 is Laravel's.
    private static let forbidden: Set = [403, 419]

    /// Returns why a successful response cannot be read.
    static func unreadable(_ body: ResponseBody, _ request: RequestShape) -> String {
        guard body.isHTML else { return "\(body.kind) instead of a JSON object" }
        return "an HTML page instead of JSON: probably a mistake in the profile "
            + "(\(request.line))"
    }

    /// Returns the probable mistake in the profile, or `nil` if the status does not indicate one.
    private static func mistake(
        _ status: Int,
        _ body: ResponseBody,
        _ request: RequestShape
    ) -> String? {
        switch status {
        case 300..<400:
            "a redirect, which is never followed with a token: probably a mistake in the profile "
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
