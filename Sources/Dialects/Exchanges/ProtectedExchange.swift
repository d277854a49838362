package import Tokens

/// A request that any access token of the backend opens: what a session is probed with.
struct ProtectedExchange: Sendable, Hashable {
    var request: RequestShape
    var place = TokenLocation.bearer
    /// The statuses that say "this access token is no longer accepted".
    var expired: Set<Int> = [401]
    /// The `error` values in `WWW-Authenticate` that say the same with any status
    /// (RFC 6750 section 3.1).
    var expiredErrors: Set<String> = ["invalid_token"]
    /// The `error` values that say that the token is good all the same, with any status: another
    /// one would be refused as well.
    var keptErrors: Set<String> = ["insufficient_scope"]
    /// Besides, on the one request that is sent again after a refusal.
    var retryHeaders: [WireHeader] = []
    var secondRefusal = SecondRefusal.keep
}

/// The requests that an access token opens.
extension Dialect {
    /// Where the dialect has none, a request for `/` that does not hold the token.
    ///
    /// - Parameters:
    ///   - token: What opens it.
    ///   - isRetry: Whether the same request was refused with an older token.
    /// - Returns: The request.
    package func protectedRequest(_ token: AccessToken, isRetry: Bool = false) -> WireRequest {
        guard let protected else { return WireRequest(method: "GET", target: "/") }
        var request = protected.request.filled(tokens: [(protected.place, token.secret)])
        if isRetry { request.headers += protected.retryHeaders }
        return request
    }
}
