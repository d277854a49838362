/// How a person's credentials become the first pair of tokens.
struct LoginExchange: Sendable, Hashable {
    var request: RequestShape
    /// In the order in which a person is asked for them.
    var credentials: [CredentialSpec]
    var reading: TokenReading
    /// The statuses that refuse the credentials.
    var rejected: Set<Int> = [400, 401, 403, 422]
}
