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
    ///   - hasWorked: Whether the same request was answered as the profile says before, so that its
    ///     failure is no mistake in the profile.
    init(
        _ response: WireResponse,
        _ body: ResponseBody,
        to request: RequestShape,
        message: String?,
        captures: [Capture] = [],
        hasWorked: Bool = false
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
            let message = Self.unreadable(body, request, hasWorked: hasWorked)
            self = .undecodable(status: status, message: message)
        case .transient:
            self = .transient(status: status, message: message, retryAfter: response.retryAfter)
        case .clientFault:
            let place =
                (300..<400).contains(status) ? "base URL or \(request.line)" : request.line
            let fact = Self.fact(response, body, message: hasWorked ? message : nil)
            self = .clientFault(
                status: status,
                message: fact.map { Self.suspecting(hasWorked ? nil : place, $0) } ?? message
            )
        }
    }

    /// The statuses of a wrong CSRF token: 419 is Laravel's.
    private static let forbidden: Set = [403, 419]

    /// Returns why a successful response cannot be read.
    static func unreadable(
        _ body: ResponseBody,
        _ request: RequestShape,
        hasWorked: Bool = false
    ) -> String {
        guard body.isHTML else { return "\(body.kind) instead of a JSON object" }
        return suspecting(hasWorked ? nil : request.line, "\(body.kind) instead of JSON")
    }

    /// Adds to a fact that the profile is probably wrong, unless the request has worked.
    private static func suspecting(_ place: String?, _ fact: String) -> String {
        place.map { "\(fact): probably a mistake in the profile (\($0))" } ?? fact
    }

    /// Returns what is wrong with an answer whose request would be wrong if it had never worked, or
    /// `nil` if the status does not indicate that.
    private static func fact(
        _ response: WireResponse,
        _ body: ResponseBody,
        message: String?
    ) -> String? {
        switch response.status {
        case 300..<400: "a redirect, which is never followed with a token"
        case 404: message ?? "not found"
        case 405: message ?? "method not allowed"
        default: body.isHTML ? "\(body.kind) instead of JSON" : nil
        }
    }
}
