package import Tokens

/// How a person's credentials become the first pair of tokens.
struct LoginExchange: Sendable, Hashable {
    var request: RequestShape
    /// In the order in which a person is asked for them.
    var credentials: [CredentialSpec]
    var reading: TokenParser
    /// The credential that is a refresh token, and stays it where the answer brings no other
    /// (RFC 6749 section 6).
    var kept: String?
    /// The statuses that refuse the credentials.
    var rejected: Set<Int> = [400, 401, 403, 422]
}

/// A way to log in that the file knows besides the one it chooses.
struct OtherLogin: Sendable, Hashable {
    var exchange: LoginExchange
    var policy: DialectPolicy

    var option: LoginOption {
        LoginOption(
            credentials: exchange.request.credentialNames,
            bringsRefreshToken: policy.renewal == .refresh
        )
    }
}

/// How a refresh token becomes the next pair, and which answers end the session.
struct RefreshExchange: Sendable, Hashable {
    var request: RequestShape
    var place: TokenLocation
    var reading: TokenParser
    /// Any of them ends the session.
    var terminal: [ResponseRule]
    /// Any of them says that the request is not understood, whatever its status.
    var clientFaults: [ResponseRule] = []
    /// Whether a token is spent by its use even where the answer brings no other.
    var isOneTime = false
}

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
