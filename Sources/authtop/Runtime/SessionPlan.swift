import Basics
import Client
import Model
import Platform
import Profiles

/// A session that a command opens: everything about it that is known before there is a network.
///
/// All commands open their sessions by `store(with:on:in:)`, which alone chooses the ports of a store.
struct SessionPlan: Sendable {
    /// The user's way to log in, if the profile needs a browser.
    enum SignIn: Sendable {
        /// In the browser that is started with the URL.
        case browser
        /// In any browser, with the URL that is printed.
        case byHand
        /// Not at all, as for a script.
        case never
    }

    let id: SessionID
    let profile: String
    var dialect: Dialect
    let origins: BackendOrigins
    var vault: any Vault
    /// The credentials that are available before the start.
    let credentials: FixedCredentials
    /// The key with which the client authenticates itself, if it has one.
    var signingKey: SigningKey?
    /// The key that the tokens of a login are bound to, or `nil` for one of their own (RFC 9449).
    var proofKey: Secret?
    /// The local data of the profile, or `nil` if none is kept.
    var localData: ProfileData?
    /// The profile's files, to be read again when they are edited.
    var source: ProfileReader?
    let fingerprinter: Fingerprinter
    let seed: UInt64
    /// Whether the session logs in by itself if none is stored, and follows the feed.
    var isWatched = true
    /// Whether a login may take the place of a session that is alive.
    var loginReplaces = false
    /// Seconds between automatic protected requests, or `nil` for none.
    var requestEvery: Double?
    /// The tokens that the session starts with, in place of a login.
    var imported: IssuedTokens?
    var signIn = SignIn.browser
    /// Called before a login is sent again to a backend that is just starting, with the problem.
    var onWait: @Sendable (_ detail: String) -> Void = { _ in }
    /// Keeps the responses of a trial.
    var recorder: TrialRecorder?
    /// The other sessions of the run, or `nil` if there is none.
    var crowd: Crowd?

    /// What a session of a run with several has to do with the others.
    struct Crowd: Sendable {
        /// The sessions that are remembered with as many of their tokens as a single one.
        private static let remembered = 100
        /// The number of tokens that each of more of them remembers.
        private static let rememberedTokens = 8
        /// The renewals that fall due in a second, if all sessions began together.
        private static let renewalsPerSecond = 500.0

        /// The number of sessions.
        let count: Int
        /// Where logins and renewals wait for their turn.
        let admission: FlightAdmission

        /// The time over which renewals are spread, in seconds.
        var renewalSpread: Double { Double(count) / Self.renewalsPerSecond }

        /// The number of tokens of a session that are remembered, or `nil` for the usual one.
        var rememberedTokens: Int? { count > Self.remembered ? Self.rememberedTokens : nil }
    }

    /// Creates the session's store, which does not run yet and has sent no event.
    ///
    /// - Parameters:
    ///   - credentials: The source of credentials for a login.
    ///   - network: The network of the run.
    ///   - environment: The clocks, and what signs and opens a browser.
    ///   - events: The hub of a run with several sessions, or `nil` for one of its own.
    /// - Returns: The store.
    /// - Throws: If the trust roots cannot be used for an origin with TLS.
    func store(
        with credentials: any CredentialSource,
        on network: NetworkContext,
        in environment: LiveEnvironment,
        events: EventHub? = nil
    ) throws -> SessionStore {
        SessionStore(
            session: id,
            profile: profile,
            dialect: dialect,
            baseURL: origins.base.description,
            requestEvery: requestEvery,
            logsInAtStart: isWatched,
            loginReplaces: loginReplaces,
            imported: imported,
            followsFeed: isWatched,
            renewalSpread: crowd?.renewalSpread ?? 0,
            random: SeededGenerator(seed: seed),
            environment: SessionEnvironment(
                time: environment.time,
                transport: transport(on: network, time: environment.time),
                feed: try network.feedTransport(to: origins),
                vault: vault,
                credentials: credentials,
                fingerprinter: fingerprinter,
                browser: signIn == .never
                    ? nil : environment.browser(on: network, opens: signIn == .browser),
                idTokens: ProviderKeys(
                    network: network,
                    time: environment.time,
                    security: origins.security
                ),
                prover: environment.prover(signingWith: signingKey, binding: proofKey),
                admission: crowd?.admission,
                rememberedTokens: crowd?.rememberedTokens
            ),
            events: events
        )
    }

    private func transport(
        on network: NetworkContext,
        time: any Timekeeper
    ) -> any TokenTransport {
        let transport = FirstLoginTransport(
            over: network.tokenTransport(to: origins),
            dialect: dialect,
            time: time,
            onWait: onWait
        )
        guard let recorder else { return transport }
        return RecordingTransport(base: transport, dialect: dialect, recorder: recorder)
    }

    /// Returns the plan with the sandbox's feed, if the backend is the sandbox and the dialect has
    /// no feed of its own.
    func withSandboxFeed(
        on network: NetworkContext,
        in environment: LiveEnvironment
    ) async throws -> SessionPlan {
        var plan = self
        plan.dialect = try await SandboxFeed(network: network, origin: origins.base)
            .added(to: dialect, time: environment.time)
        return plan
    }
}

extension ChosenProfile {
    /// Returns the plan of this profile's session.
    ///
    /// - Parameters:
    ///   - id: The id of the session in its events, or `nil` if it is the only one.
    ///   - credentials: The credentials that are available before the start.
    ///   - fingerprinter: The fingerprinter of the run.
    ///   - environment: The environment, for a seed.
    /// - Returns: The plan of a session that is watched.
    func plan(
        _ id: SessionID? = nil,
        with credentials: FixedCredentials,
        fingerprinter: Fingerprinter,
        in environment: LiveEnvironment
    ) -> SessionPlan {
        SessionPlan(
            id: id ?? SessionID(name),
            profile: name,
            dialect: dialect,
            origins: origins,
            vault: vault,
            credentials: credentials,
            signingKey: signingKey,
            localData: vault is MemoryVault ? nil : localData,
            source: source,
            fingerprinter: fingerprinter,
            seed: environment.randomSeed()
        )
    }
}
