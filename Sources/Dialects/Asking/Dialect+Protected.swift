package import Tokens

/// The requests that an access token opens.
extension Dialect {
    /// Where the dialect has none, a request for `/` that does not hold the token.
    package func protectedRequest(_ token: AccessToken) -> WireRequest {
        guard let protected else { return WireRequest(method: "GET", target: "/") }
        return protected.request.filled(tokens: [(protected.place, token.secret)])
    }
}
