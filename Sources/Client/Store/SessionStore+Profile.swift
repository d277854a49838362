package import Basics
package import Model
package import Profiles

extension SessionStore {
    /// Creates a store for one profile.
    ///
    /// - Parameters:
    ///   - session: The session's id if a run has several, or `nil` if it is the only one.
    ///   - profile: The name of the profile, as the user writes it.
    ///   - dialect: The dialect of the backend.
    ///   - baseURL: The backend's base URL, to be shown.
    ///   - requestEvery: Seconds between automatic protected requests, or `nil` for none.
    ///   - logsInAtStart: Whether to log in at once if no session is stored.
    ///   - loginReplaces: Whether a login may take the place of a session that is alive.
    ///   - imported: The token to start with in that case, in place of a login.
    ///   - followsFeed: Whether to open the feed, if the dialect has one.
    ///   - renewalSpread: The time over which renewals of many sessions are spread, in seconds.
    ///   - random: The generator for jitter.
    ///   - environment: The dependencies of the store.
    ///   - events: The hub of a run with several sessions, or `nil` for one of its own.
    package init(
        session: SessionID? = nil,
        profile: String,
        dialect: Dialect,
        baseURL: String,
        requestEvery: Double?,
        logsInAtStart: Bool = true,
        loginReplaces: Bool = false,
        imported: IssuedTokens? = nil,
        followsFeed: Bool = true,
        renewalSpread: Double = 0,
        random: SeededGenerator,
        environment: SessionEnvironment,
        events: EventHub? = nil
    ) {
        var configuration = SessionConfiguration(
            session: session,
            profile: profile,
            dialect: dialect,
            baseURL: baseURL,
            vault: environment.vault.place,
            requestEvery: requestEvery,
            logsInAtStart: logsInAtStart,
            imported: imported,
            followsFeed: followsFeed,
            renewalSpread: renewalSpread
        )
        configuration.loginReplaces = loginReplaces
        var random = random
        let machine = ClientMachine(
            configuration: configuration,
            fingerprinter: environment.fingerprinter,
            random: random.fork()
        )
        self.init(
            dialect: dialect,
            machine: machine,
            environment: environment,
            events: events
        )
    }

    /// Uses an edited profile from now on.
    ///
    /// - Parameter edited: Its dialect, which differs in nothing that the session was begun with.
    package func adopt(_ edited: Dialect) {
        sharedDialect = Shared(edited.keepingFeed(of: dialect))
        registerFixedSecrets()
        let old = machine.configuration
        var new = SessionConfiguration(
            session: old.session,
            profile: old.profile,
            dialect: dialect,
            baseURL: old.capabilities.baseURL,
            vault: old.capabilities.vault,
            requestEvery: old.capabilities.requestEvery,
            logsInAtStart: old.logInAtStart,
            imported: old.imported,
            followsFeed: old.feed != nil,
            renewalSpread: old.renewal.spread
        )
        new.loginReplaces = old.loginReplaces
        send(.profileEdited(new))
    }
}

extension SessionConfiguration {
    /// Creates the machine's configuration for a profile.
    ///
    /// - Parameters:
    ///   - session: The session's id if a run has several, or `nil` if it is the only one.
    ///   - profile: The name of the profile, as the user writes it.
    ///   - dialect: The dialect of the backend.
    ///   - baseURL: The backend's base URL, to be shown.
    ///   - vault: A description of where the pair is kept.
    ///   - requestEvery: Seconds between automatic protected requests, or `nil` for none.
    ///   - logsInAtStart: Whether to log in at once if no session is stored.
    ///   - imported: The token to start with in that case, in place of a login.
    ///   - followsFeed: Whether to open the feed, if the dialect has one.
    ///   - renewalSpread: The time over which renewals of many sessions are spread, in seconds.
    package init(
        session: SessionID? = nil,
        profile: String,
        dialect: Dialect,
        baseURL: String,
        vault: String,
        requestEvery: Double? = nil,
        logsInAtStart: Bool = true,
        imported: IssuedTokens? = nil,
        followsFeed: Bool = true,
        renewalSpread: Double = 0
    ) {
        let capabilities = Capabilities(
            dialect: dialect.name,
            title: dialect.title,
            baseURL: baseURL,
            rotation: dialect.rotation,
            logoutScopes: dialect.logoutScopes,
            hasFeed: dialect.hasFeed && followsFeed,
            feedKind: dialect.feedKind,
            hasProtectedRequest: dialect.hasProtectedRequest,
            vault: vault,
            requestEvery: requestEvery,
            listsSessions: dialect.hasSessionsList,
            endsSessions: dialect.endsSessions,
            renewsByLogin: dialect.policy.renewal == .login,
            lifetimePlace: dialect.accessLifetimePlace,
            questions: dialect.questions,
            requestTemplate: RequestTemplate(of: dialect),
            refreshRequest: dialect.refreshLine,
            documented: dialect.lifetimes
        )
        self.init(
            session: session,
            profile: profile,
            capabilities: capabilities,
            rotation: dialect.rotation,
            hasRefreshToken: dialect.hasRefreshToken,
            refreshSlides: dialect.lifetimes.refreshSlides,
            spendsUnreplaced: dialect.refreshIsOneTime,
            sessionLife: dialect.lifetimes.session,
            renewsByLogin: dialect.policy.renewal == .login,
            logInAtStart: logsInAtStart,
            needsBrowser: dialect.needsBrowser,
            imported: imported,
            renewal: RenewalPolicy(leadOverride: dialect.policy.lead, spread: renewalSpread),
            giveUpAfter: dialect.policy.giveUpAfter,
            attempts: dialect.policy.retry == .onUse ? 1 : dialect.policy.attempts,
            renewsBeforeUse: dialect.policy.whenDue == .wait,
            renewsUnstated: dialect.policy.unknownExpiry == .renew,
            refusalEnds: dialect.policy.afterRefusal == .end,
            allowsUserChange: dialect.policy.anotherUser == .use,
            refreshNamesScope: dialect.refreshNamesScope,
            secondRefusalEnds: dialect.secondRefusal == .end,
            logoutNeeds: dialect.logoutNeeds,
            captures: dialect.captureReferences,
            feed: dialect.hasFeed && followsFeed
                ? FeedConfiguration(
                    following: dialect.feedSwitch.following,
                    asksSince: dialect.feedResumes,
                    carrier: dialect.feedKind == .eventStream
                        ? .eventStream(silenceLimit: dialect.feedSilenceLimit) : .webSocket,
                    script: dialect.feedScript
                ) : nil
        )
    }
}

extension FeedSwitch {
    fileprivate var following: FeedFollowing {
        switch self {
        case .overlap: .overlap
        case .restart: .restart
        case .keep: .keep
        case .message: .message
        }
    }
}
