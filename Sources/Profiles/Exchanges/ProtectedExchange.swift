package import Basics

/// A request that requires any access token of the backend, to test a session with.
struct ProtectedExchange: Sendable, Hashable {
    var request: RequestShape
    var place = TokenLocation.bearer
    /// The statuses that mean that the access token is no longer accepted.
    var expired: Set<Int> = [401]
    /// The `error` values in `WWW-Authenticate` that mean the same with any status.
    var expiredErrors = Challenge.tokenErrors
    /// The `error` values that mean that the token is valid although the request was rejected, with
    /// any status: a new token would be rejected as well.
    var keptErrors = Challenge.otherErrors
    /// The answers by which the backend refuses the access token, or says what no renewal changes.
    var refused: [ResponseRule] = []
    /// The additional headers of a request that is repeated after a rejection.
    var retryHeaders: [WireHeader] = []
    var secondRefusal = SecondRefusal.keep

    func headers(isRetry: Bool) -> [WireHeader] {
        isRetry ? request.headers + retryHeaders : request.headers
    }

    /// Returns the request with the additional headers, which may send some of the captures again.
    func repeated(_ captures: [Capture]) -> RequestShape {
        var shape = request
        shape.headers = headers(isRetry: true)
        let used = shape.placeholders
        shape.captures = captures.filter { used.contains($0.name) }
        return shape
    }
}

/// The requests that require an access token.
extension Dialect {
    /// Returns the protected request, or a request for `/` without the token if the dialect has
    /// none.
    ///
    /// - Parameters:
    ///   - token: The access token.
    ///   - captured: The captured values.
    ///   - isRetry: Whether the request was rejected with an older token.
    /// - Returns: The request.
    package func protectedRequest(
        _ token: AccessToken,
        captured: CapturedValues = .none,
        isRetry: Bool = false
    ) -> WireRequest {
        guard let protected else { return WireRequest(method: "GET", target: "/") }
        let shape = isRetry ? protected.repeated(captures) : protected.request
        return shape.filled(captured: captured, tokens: [(protected.place, token.secret)])
    }

    /// Returns the header that carries the access token in a request of the user, or `nil` if the
    /// token is placed elsewhere.
    package func tokenHeader(_ token: AccessToken) -> WireHeader? {
        RequestShape(method: "GET", path: "/", proof: bindsTokens ? .withToken : nil)
            .filled(tokens: [(protected?.place ?? .bearer, token.secret)]).headers.first
    }

    /// Whether requests of the user carry the access token in a header.
    package var hasTokenHeader: Bool {
        switch protected?.place ?? .bearer {
        case .bearer, .scheme, .header, .cookie: true
        case .json, .form, .query: false
        }
    }
}
