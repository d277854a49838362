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

    package init(
        time: any Timekeeper,
        transport: any TokenTransport,
        feed: any FeedTransport,
        vault: any Vault,
        credentials: any CredentialSource,
        fingerprinter: Fingerprinter,
        browser: Browser? = nil,
        idTokens: (any IDTokenVerifier)? = nil,
        prover: ClientProver? = nil
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
    }
}
