package import Tokens

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
