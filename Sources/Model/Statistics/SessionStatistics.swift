package import Basics

/// The costs of a session, and the failures that it survived, as far as this run saw it.
///
/// A pure fold of the events, of the same size however long the session lasts: counts, and the
/// newest `RemainingLead.limit` renewals for the median. It begins with the first pair of a session,
/// the login's own request included, and stays to be read after the session's end.
package struct SessionStatistics: Sendable, Equatable {
    /// The n-th login of this run; 0 before the first.
    package private(set) var login = 0
    package private(set) var startedAt: Moment?
    package private(set) var endedAt: Moment?

    package internal(set) var renewals = RenewalCounts()
    package internal(set) var failures: [RefreshFailure.Class: Int] = [:]
    package internal(set) var remainingLead = RemainingLead()
    package internal(set) var requests = ExchangeCounts()
    package internal(set) var feed = FeedCounts()
    package private(set) var timeWithoutToken = TimeWithoutToken()
    /// The login whose pair has not come yet: it belongs to the session that it begins.
    var loginRequest: Exchange? {
        get { sentLogin?.value }
        set { sentLogin = newValue.map(Shared.init) }
    }
    private var sentLogin: Shared<Exchange>?

    package init() {}

    init(folding events: some Sequence<SessionEvent>) {
        self.init()
        for event in events { apply(event) }
    }

    /// Takes one event in; events come in the order in which they happened.
    package mutating func apply(_ event: SessionEvent) {
        event.kind.apply(to: &self, in: event)
    }

    /// A pair is held from now on, and may be used until then, or `nil` if that is unknown.
    mutating func tokenAvailable(until usableUntil: Instant?, login: Int, at moment: Moment) {
        if startedAt == nil || login != self.login { begin(login, at: moment) }
        endedAt = nil
        timeWithoutToken.tokenAvailable(until: usableUntil, at: moment.now)
    }

    /// The time that the session has lasted, or lasted, in seconds.
    package func age(at now: Instant) -> Double {
        guard let startedAt else { return 0 }
        return max(0, (endedAt?.now ?? now).seconds(since: startedAt.now))
    }

    private mutating func begin(_ login: Int, at moment: Moment) {
        let loginRequest = loginRequest
        self = SessionStatistics()
        self.login = login
        startedAt = moment
        if let loginRequest { requests.add(loginRequest) }
    }

    /// Ends the session at its first event; later ones are ignored.
    mutating func end(at moment: Moment) {
        guard startedAt != nil, endedAt == nil else { return }
        endedAt = moment
        timeWithoutToken.release(at: moment.now)
    }
}

package struct RenewalCounts: Sendable, Equatable {
    package var succeeded = 0
    package var failed = 0
    /// The number of flights that each cause started.
    package var byCause: [RefreshCause: Int] = [:]
}
