package import Basics
package import Profiles

/// One thing that happened.
///
/// Everything anyone sees is derived from these: panes, NDJSON, recording.
package struct SessionEvent: Sendable, Hashable, Codable {
    package var moment: Moment
    /// Which session it belongs to.
    package var session: SessionID
    package var profile: String
    /// The n-th login of this run, from 1; 0 before the first.
    package var login: Int
    /// The n-th pair since that login, from 1; 0 where there is none.
    package var generation: Int
    package var kind: Kind

    package init(
        moment: Moment,
        session: SessionID,
        profile: String,
        login: Int,
        generation: Int,
        kind: Kind
    ) {
        self.moment = moment
        self.session = session
        self.profile = profile
        self.login = login
        self.generation = generation
        self.kind = kind
    }

    /// Indirect where it is large, because it is handed on many times.
    package enum Kind: Sendable, Hashable, Codable {
        /// What this profile can do; the first event of a run.
        indirect case capabilities(Capabilities)
        case loginStarted
        /// The user is to sign in with a browser.
        indirect case authorizationRequested(AuthorizationPrompt)
        /// The user has signed in.
        case authorizationGranted
        /// A login brought an id token, which was checked.
        indirect case idTokenChecked(IDTokenReport)
        indirect case loginFailed(RefreshFailure)
        indirect case tokensIssued(PairDescription)
        /// Requests with the same pair send other captured values from now on.
        case capturesChanged([CaptureDescription])
        indirect case stateChanged(from: SessionState, to: SessionState, why: StateChangeCause)
        /// A refresh is sent; `request` is the number that its exchange has in the log.
        case refreshStarted(flight: Int, cause: RefreshCause, request: Int? = nil)
        case refreshSucceeded(
            flight: Int,
            roundTrip: Duration,
            leadLeft: Duration,
            rotated: Bool
        )
        indirect case refreshFailed(
            flight: Int,
            failure: RefreshFailure,
            attempt: Int,
            nextAt: Instant?
        )
        indirect case request(RequestRecord)
        /// What renews the pair next is something else than before.
        case renewalPlanned(RenewalPlan)
        /// Callers or requests wait for a token, the first of them since then, or no longer do.
        case tokenAwaited(since: Moment?)
        case expiryMismatch(token: TokenKind, readings: [Expiry.Reading])
        /// A renewal brought a token of another user than that of the pair before.
        indirect case userChanged(UserChange)
        case skew(ServerOffset)
        /// The machine slept: how much longer than it meant to.
        case wake(Interruption)
        /// The wall clock was set by this number of seconds.
        case wallStep(seconds: Double)
        case probe(reached: Bool)
        /// A new expiry was not later than the old one.
        case noProgress
        /// The backend answers in a way the profile does not describe.
        indirect case protocolError(RefreshFailure)
        /// A refresh token was accepted to which an earlier answer is missing; `nil` if a recording
        /// does not say why.
        case graceRecovered(after: MissingAnswer?)
        /// Another process renewed; its pair was adopted.
        case adopted
        /// An earlier run may have sent the refresh token, and has recorded no answer.
        case journalRecovered
        case unsaved(VaultProblem)
        case saved
        case circuitBreakerOpened(until: Instant)
        case paused(PauseExtent, by: PauseCause)
        case resumed(by: PauseCause)
        /// The backend refuses the refresh token for good.
        indirect case refreshTokenRefused(RefusalEvidence)
        case draining(endsAt: Instant?, reason: SignedOutReason)
        case signedOut(SignedOutReason)
        /// There is no session at the start: how the one before ended.
        indirect case endedBefore(SignedOutReason, at: Moment, refusal: RefusalEvidence?)
        /// A logout is durable: no pair is stored any longer; with the time since it was requested.
        case erased(after: Duration)
        case revocation(RevocationPhase)
        indirect case feed(FeedEvent)
        indirect case sessions(SessionListUpdate)
        /// What the server says of a token, as it was asked.
        indirect case secondOpinion(IntrospectionResult)
        /// A request of the user that cannot be fulfilled, and why.
        case actionRejected(ActionRejection)
        case experimentStarted(Experiment)
        case experimentEnded(ExperimentResult)
        /// The user has shifted the program's wall clock, and by how many seconds it is off now.
        case clockShifted(seconds: Double)
        /// Other faults of the sandbox are on than before.
        indirect case faultsChanged(FaultsChange)
        /// What a proxy sees of an app's session.
        indirect case observed(ObservedEvent)
        /// This number of events was dropped because the reader was too slow.
        case dropped(count: Int)
    }
}

/// The users of two pairs of one session, as the backend names them.
package struct UserChange: Sendable, Hashable, Codable {
    package var before: String
    package var after: String

    package init(before: String, after: String) {
        self.before = before
        self.after = after
    }
}

package enum TokenKind: String, Sendable, Hashable, Codable, CaseIterable {
    case access
    case refresh
}

package enum RevocationPhase: String, Sendable, Hashable, Codable, CaseIterable {
    case pending
    /// The backend confirmed it.
    case done
    /// The backend acknowledged a request that does not identify the session.
    case anonymous
    /// The backend does not know the token, or no longer does.
    case notKnown
    /// The refresh token expired before the backend could be notified.
    case expired
    /// The dialect has no endpoint for it.
    case notOffered
    /// Its request needs the refresh token, and there is none, or none any more.
    case noRefreshToken
    /// Its request needs a live access token, and that has ended.
    case noAccessToken
    /// Its request sends a captured value again, and no answer has brought it.
    case noCapturedValue
}

/// Whose a session is.
package enum SessionRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// This program's.
    case own
    /// That of an app whose traffic is watched.
    case observed
}

/// What a profile can do, for hints and words.
package struct Capabilities: Sendable, Hashable, Codable {
    package var dialect: String
    package var title: String
    package var baseURL: String
    package var rotation: Rotation
    package var logoutScopes: Set<LogoutScope>
    package var hasFeed: Bool
    /// The protocol of the feed, or `nil` if there is none or a recording does not say it.
    package var feedKind: FeedKind?
    package var hasProtectedRequest: Bool
    /// Where the pair is kept, as text.
    package var vault: String
    /// Seconds between automatic protected requests, or `nil` if there are none.
    package var requestEvery: Double?
    /// Whether it lists the user's active sessions.
    package var listsSessions: Bool
    /// Whether it ends one of them.
    package var endsSessions: Bool
    /// Whether the login is repeated without the user in place of a refresh.
    package var renewsByLogin: Bool
    /// The place in a response where the lifetime of an access token is stated in seconds, or `nil`
    /// if there is none.
    package var lifetimePlace: String?
    /// What the server can be asked about the tokens, or `nil` in a recording without it.
    package var questions: [TokenQuestion]?
    /// How a protected request carries the token, or `nil` if a recording does not say it.
    package var requestTemplate: RequestTemplate?
    /// The request of a refresh, or `nil` if there is none or a recording does not say it.
    package var refreshRequest: RequestLine?
    /// The lifetimes that the profile documents, or `nil` if a recording does not say them.
    package var documented: DocumentedLifetimes?
    /// Whose the session is, or `nil` if a recording does not say it.
    package var role: SessionRole?

    package init(
        dialect: String,
        title: String,
        baseURL: String,
        rotation: Rotation,
        logoutScopes: Set<LogoutScope>,
        hasFeed: Bool,
        feedKind: FeedKind? = nil,
        hasProtectedRequest: Bool,
        vault: String,
        requestEvery: Double?,
        listsSessions: Bool = false,
        endsSessions: Bool = false,
        renewsByLogin: Bool = false,
        lifetimePlace: String? = nil,
        questions: [TokenQuestion]? = nil,
        requestTemplate: RequestTemplate? = nil,
        refreshRequest: RequestLine? = nil,
        documented: DocumentedLifetimes? = nil,
        role: SessionRole? = nil
    ) {
        self.dialect = dialect
        self.title = title
        self.baseURL = baseURL
        self.rotation = rotation
        self.logoutScopes = logoutScopes
        self.hasFeed = hasFeed
        self.feedKind = feedKind
        self.hasProtectedRequest = hasProtectedRequest
        self.vault = vault
        self.requestEvery = requestEvery
        self.listsSessions = listsSessions
        self.endsSessions = endsSessions
        self.renewsByLogin = renewsByLogin
        self.lifetimePlace = lifetimePlace
        self.questions = questions
        self.requestTemplate = requestTemplate
        self.refreshRequest = refreshRequest
        self.documented = documented
        self.role = role
    }
}
