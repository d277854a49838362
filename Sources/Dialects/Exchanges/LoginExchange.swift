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
