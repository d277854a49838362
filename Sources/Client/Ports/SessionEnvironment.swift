package import Basics

/// The dependencies of a session store.
package struct SessionEnvironment: Sendable {
    var time: any Timekeeper
    var transport: any TokenTransport
    var feed: any FeedTransport
    var vault: any Vault
    var credentials: any CredentialSource
    var fingerprinter: Fingerprinter
    /// The user's browser, or `nil` if no user can log in.
    var browser: Browser?
    /// Verifies id tokens, or `nil` if their signatures are not checked.
    var idTokens: (any IDTokenVerifier)?
    /// Signs for the client, or `nil` if it cannot sign.
    var prover: ClientProver?
    /// Where logins and renewals wait for their turn, or `nil` if they need not.
    var admission: FlightAdmission?
    /// The number of the newest tokens that are hidden where the backend repeats them, or `nil` for
    /// the usual one.
    var rememberedTokens: Int?

    package init(
        time: any Timekeeper,
        transport: any TokenTransport,
        feed: any FeedTransport,
        vault: any Vault,
        credentials: any CredentialSource,
        fingerprinter: Fingerprinter,
        browser: Browser? = nil,
        idTokens: (any IDTokenVerifier)? = nil,
        prover: ClientProver? = nil,
        admission: FlightAdmission? = nil,
        rememberedTokens: Int? = nil
    ) {
        self.time = time
        self.transport = transport
        self.feed = feed
        self.vault = vault
        self.credentials = credentials
        self.fingerprinter = fingerprinter
        self.browser = browser
        self.idTokens = idTokens
        self.prover = prover
        self.admission = admission
        self.rememberedTokens = rememberedTokens
    }
}
