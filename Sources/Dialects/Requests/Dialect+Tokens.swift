package import Tokens

/// The requests that bring tokens.
extension Dialect {
    /// Takes the credentials by the names in `credentials`; any other is ignored.
    package func loginRequest(
        _ credentials: [String: Secret]
    ) throws(MissingCredential) -> WireRequest {
        for wanted in self.credentials where credentials[wanted.name]?.isEmpty ?? true {
            throw MissingCredential(name: wanted.name)
        }
        return login.request.filled(values: credentials)
    }

    /// Where the dialect has no refresh, a request that does not hold the token.
    ///
    /// Of the credentials, only the client's own are sent, and only where the dialect wants them.
    package func refreshRequest(
        _ token: RefreshToken,
        credentials: [String: Secret] = [:]
    ) -> WireRequest {
        guard let refresh else {
            return WireRequest(method: "POST", target: login.request.path)
        }
        return refresh.request.filled(
            values: credentials,
            tokens: [(refresh.place, token.secret)]
        )
    }
}
