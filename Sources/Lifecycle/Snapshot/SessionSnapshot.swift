package import Timekeeping
package import Tokens

/// Everything the events have told so far, as far as it is of use now.
///
/// A pure fold: the same events give the same snapshot, whoever folds them.
package struct SessionSnapshot: Sendable, Equatable {
    package static let requestLimit = 2_000
    package static let generationLimit = 256
    package static let flightLimit = 1_000
    static let awaitingLimit = 256

    package var profile = ""
    package var capabilities: Capabilities?
    /// The n-th login of this run; 0 before the first.
    package var login = 0
    /// Of the pair that is held, or was held last; 0 where there was none.
    package var generation = 0
    package var state = SessionState.cold
    package var stateSince: Moment?
    package var flags = SessionFlags()
    /// The pair that is held, or `nil` if signed out.
    package var current: GenerationRecord? {
        currentNumber.flatMap { generations.entry(numbered: $0) }
    }
    /// What renews the pair next, or `nil` if none is held.
    package var renewalPlan: RenewalPlan?
    /// From then on the access token is not used any more; `nil` if nothing says when it ends.
    package var usableUntil: Instant?
    /// When the access token may no longer be used and the session is over.
    package var drainsAt: Instant?
    package var refreshToken: RefreshTokenUse?
    /// What was known of the refresh token when the backend refused it for good, or `nil` if it has
    /// not.
    package var refusal: RefusalEvidence?
    package var serverOffset: ServerOffset?
    package var lastEnding: SessionEnding?
    package var loginFailure: RefreshFailure?
    package var startedAt: Moment?
    package var flight: FlightRecord? { flightNumber.flatMap { flights.entry(numbered: $0) } }
    package var problems = SessionProblems()
    /// Whether the backend answers.
    package var reachability = Reachability()
    package var statistics = SessionStatistics()
    package var activeSessions = ActiveSessions()

    /// Whether the last response states that the sandbox sent it, which any server can.
    package var claimsSandbox = false
    package var requests = BoundedLog<LoggedRequest>(limit: requestLimit)
    package var requestCounts = RequestCounts()
    /// What the newest responses looked like.
    package var evidence = EvidenceLog()
    package var generations = BoundedLog<GenerationRecord>(limit: generationLimit)
    package var flights = BoundedLog<FlightRecord>(limit: flightLimit)
    package var feed = FeedSnapshot()
    /// What happened, apart from what is in the logs.
    package var history = History()

    /// The key of `current` in `generations`.
    var currentNumber: Int?
    /// The key of the flight under way in `flights`.
    var flightNumber: Int?
    /// Why the session that drains is about to end.
    var drainReason: SignedOutReason?
    /// Of the last pair of the run.
    var lastGenerationNumber = 0
    /// Requests whose token was refused and that no newer pair has answered yet.
    var awaitingPair: [Int] = []

    package init() {}
}

/// How the last session went.
package struct SessionEnding: Sendable, Equatable {
    package var reason: SignedOutReason
    package var at: Moment
    /// When that session began, or `nil` if this run did not see it.
    package var startedAt: Moment?
    /// What was known of the refresh token when the backend refused it, if it did.
    package var refusal: RefusalEvidence?
}

/// Conditions that last until something puts an end to them, and that a person wants to know of.
package struct SessionProblems: Sendable, Equatable {
    /// The backend answers in a way that the profile does not describe.
    package var protocolError: RefreshFailure?
    /// The last renewal brought no later expiry.
    package var hasNoProgress = false
    package var revocation: RevocationPhase?
    /// Events that this reader never saw.
    package var droppedEvents = 0
}

package struct RequestCounts: Sendable, Equatable {
    package var sent = 0
    /// 401 to a protected request.
    package var unauthorized = 0
    /// Nobody answered.
    package var unanswered = 0
    /// What the newest answers took, in seconds.
    package var latencies: [Double] = []

    package static let latencyLimit = 256

    mutating func note(_ record: RequestRecord) {
        guard record.status != nil else {
            unanswered += 1
            return
        }
        if latencies.count == Self.latencyLimit { latencies.removeFirst() }
        latencies.append(record.seconds)
    }
}
