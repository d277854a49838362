package import Basics

/// The current state of a session, as derived from its events.
///
/// It is a pure fold: the same events always result in the same snapshot.
package struct SessionSnapshot: Sendable, Equatable {
    static let requestLimit = 2_000
    static let generationLimit = 1_000
    /// The number of the newest pairs whose claims are kept: a server decides how long they are.
    static let claimsLimit = 256
    static let flightLimit = 1_000
    static let awaitingLimit = 256

    package var profile = ""
    package var capabilities: Capabilities?
    /// The n-th login of this run; 0 before the first.
    package var login = 0
    /// The generation of the pair in use, or of the last one; 0 if there was none.
    package var generation = 0
    package var state = SessionState.cold
    package var flags = SessionFlags()
    /// The pair that is held, or `nil` if signed out.
    package var current: GenerationRecord? {
        currentNumber.flatMap { generations.entry(numbered: $0) }
    }
    /// The next renewal of the pair, or `nil` if no pair is held.
    package var renewalPlan: RenewalPlan?
    /// Since when a caller or a request waits for a token, or `nil` if none does.
    package var usersWaitSince: Moment?
    /// When the access token may no longer be used, or `nil` if its expiry is unknown.
    package var usableUntil: Instant?
    /// When the access token may no longer be used and the session ends.
    package var drainsAt: Instant?
    package var refreshToken: RefreshTokenUse?
    /// The evidence about the refresh token when the backend finally refused it, or `nil` if it has
    /// not.
    package var refusal: RefusalEvidence?
    package var serverOffset: ServerOffset?
    package var lastEnding: SessionEnding?
    package var loginFailure: RefreshFailure?
    /// The login that waits for the user, or `nil` if none does.
    package var authorization: AuthorizationPrompt?
    package var startedAt: Moment?
    /// When the first event happened.
    package var firstEventAt: Moment?
    package var flight: FlightRecord? { flightNumber.flatMap { flights.entry(numbered: $0) } }
    package var problems = SessionProblems()
    /// Whether the backend answers.
    package var reachability = Reachability()
    /// Whether the profile's request gets what it asks for.
    package var requestHealth = RequestHealth()
    package var statistics = SessionStatistics()
    package var activeSessions = ActiveSessions()
    package var introspections = IntrospectionLog()
    package var experiments = Experiments()
    /// The state of an app's session.
    package var observed = ObservedSession()
    /// By how many seconds the user has shifted the program's wall clock; 0 if it is not shifted.
    package var clockShift = 0.0
    /// The faults of the sandbox that are on, as the user writes them, or `nil` if they have not
    /// changed in this run.
    package var faults: [String]?

    /// Whether the last response states that the sandbox sent it, which any server can.
    package var claimsSandbox = false
    package var requests = BoundedLog<LoggedExchange>(limit: requestLimit)
    package var requestCounts = RequestCounts()
    /// The appearances of the newest responses.
    package var evidence = EvidenceLog()
    package var generations = BoundedLog<GenerationRecord>(limit: generationLimit)
    package var flights = BoundedLog<FlightRecord>(limit: flightLimit)
    package var feed = FeedSnapshot()
    /// The events that are not in the logs.
    package var history = History()

    /// The key of `current` in `generations`.
    var currentNumber: Int?
    /// The key in `flights` of the flight in progress.
    var flightNumber: Int?
    /// Why the session that drains is about to end.
    var drainReason: SignedOutReason?
    /// Of the last pair of the run.
    var lastGenerationNumber = 0
    /// Requests whose token was refused and that no newer pair has answered yet.
    var awaitingPair: [Int] = []

    package init() {}

    /// Creates the state of a session before its first event, of which less is kept.
    init(limits: SnapshotLimits) {
        requests = BoundedLog(limit: limits.requests)
        generations = BoundedLog(limit: limits.generations)
        flights = BoundedLog(limit: limits.flights)
        history = History(limit: limits.history)
    }
}

/// The course of the last session.
package struct SessionEnding: Sendable, Equatable {
    package var reason: SignedOutReason
    package var at: Moment
    /// When that session began, or `nil` if this run did not see it.
    package var startedAt: Moment?
    /// The evidence about the refresh token when the backend refused it, if it did.
    package var refusal: RefusalEvidence?
}

/// Lasting conditions that concern the user.
package struct SessionProblems: Sendable, Equatable {
    /// The backend answers in a way that the profile does not describe.
    package var protocolError: RefreshFailure?
    /// Whether the last renewal did not result in a later expiry.
    package var hasNoProgress = false
    /// The users, if the last renewals brought the token of another one.
    package var userChange: UserChange?
    /// The scopes that a renewal has taken away and none has brought back.
    package var lostScopes: [String] = []
    package var revocation: RevocationPhase?
    /// Events that this reader never saw.
    package var droppedEvents = 0
}

/// The requests of the run by their results, each of which is a row of its log.
package struct RequestCounts: Sendable, Equatable {
    /// Those of the session itself.
    package private(set) var exchanges = ExchangeCounts()
    /// The number of those that experiments made, whatever their results.
    package private(set) var byExperiments = 0
    /// The latencies of the newest answers to the session itself, in seconds.
    package private(set) var latencies: [Double] = []

    static let latencyLimit = 256

    mutating func add(_ exchange: Exchange) {
        guard !exchange.why.isExperiment else {
            byExperiments += 1
            return
        }
        exchanges.add(exchange)
        guard exchange.status != nil else { return }
        if latencies.count == Self.latencyLimit { latencies.removeFirst() }
        latencies.append(exchange.seconds)
    }
}
