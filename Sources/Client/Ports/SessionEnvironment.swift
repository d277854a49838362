package import Basics

/// The dependencies of a session store.
package struct SessionEnvironment: Sendable {
    package var time: any Timekeeper
    package var transport: any TokenTransport
    package var feed: any FeedTransport
    package var vault: any Vault
    package var credentials: any CredentialSource
    package var fingerprinter: Fingerprinter
    /// The user's browser, or `nil` if no user can sign in.
    package var browser: Browser?
    /// Verifies id tokens, or `nil` if their signatures are not checked.
    package var idTokens: (any IDTokenVerifier)?
    /// Signs for the client, or `nil` if it cannot sign.
    package var prover: ClientProver?

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
