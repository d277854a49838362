package import Basics

/// The status of a stored session at one moment, without anything being sent or written.
package struct SessionStatus: Sendable {
    package let session: SessionSnapshot
    package let moment: Moment
    /// Logouts that the backend has not been notified of yet.
    package let pendingRevocations: Int
    /// A renewal whose answer is missing.
    package let journal: FlightJournal?
    package let family: String?
    /// The least amount by which the wall clock was set back since the pair was stored, in seconds,
    /// or `nil` if there is no sign of it.
    package let clockSetBack: Double?

    package init(
        session: SessionSnapshot,
        moment: Moment,
        pendingRevocations: Int,
        journal: FlightJournal?,
        family: String?,
        clockSetBack: Double?
    ) {
        self.session = session
        self.moment = moment
        self.pendingRevocations = pendingRevocations
        self.journal = journal
        self.family = family
        self.clockSetBack = clockSetBack
    }

    /// Whether a token is left that may be used, or can be refreshed.
    package var isAlive: Bool {
        guard session.state.isLive, let pair = session.current?.pair else { return false }
        if let usableUntil = session.usableUntil, moment.now < usableUntil { return true }
        if session.usableUntil == nil { return true }
        guard pair.refresh != nil, let end = pair.refreshExpiry else { return pair.refresh != nil }
        return end.expiry.isAssumed || moment.now < end.at
    }
}

extension SessionStatus {
    /// As one flat JSON object, in the form of the lines of events.
    ///
    /// - Parameters:
    ///   - others: More members, as they are.
    ///   - causes: Makes the sentences in it.
    /// - Returns: The object, without a line break.
    package func json(
        adding others: [String: JSONValue] = [:],
        causes: any CauseFormatter
    ) -> String {
        var object = FlatJSON(at: moment)
        object.set("profile", session.profile)
        object.set("baseURL", session.capabilities?.baseURL)
        object.set("state", session.state.name)
        object.set("alive", .bool(isAlive))
        switch session.state {
        case .signedOut(.never):
            object.set("reason", (session.lastEnding?.reason ?? .never).rawValue)
        case .signedOut(let reason), .draining(let reason): object.set("reason", reason.rawValue)
        case .vaultUnavailable(let problem): object.set("message", causes.text(problem))
        default: break
        }
        if let ending = session.lastEnding { object.set("endedAt", ending.at.now) }
        if let refusal = session.refusal ?? session.lastEnding?.refusal {
            object.set("refusalMessage", refusal.message)
        }
        object.set("vault", session.capabilities?.vault)
        if let current = session.current {
            object.set("generation", current.generation)
            object.set(TokensIssued(current.pair), causes)
            object.set("refreshProblem", session.refreshTokenProblem?.rawValue)
            describeRenewal(in: &object, causes)
            object.set("secondsToUsableUntil", seconds(until: session.usableUntil))
            let pair = current.pair
            object.set("secondsToAccessExpiry", seconds(until: pair.accessExpiry?.statedEnd))
            object.set("secondsToSessionEnd", seconds(until: pair.sessionEnd))
            object.set("secondsToRefreshExpiry", seconds(until: pair.refreshExpiry?.statedEnd))
        }
        object.set("clockSetBack", seconds: clockSetBack)
        object.set("journalSends", journal?.sends ?? 0)
        object.set("outbox", pendingRevocations)
        for name in others.keys.sorted() { object.set(name, others[name]) }
        return object.text()
    }

    /// Describes what a program that continues the session would do next.
    private func describeRenewal(in object: inout FlatJSON, _ causes: any CauseFormatter) {
        guard let plan = session.renewalPlan else { return }
        object.set("renewal", plan.code.rawValue)
        object.set("renewalMessage", causes.text(plan))
        object.set("secondsToRefreshAt", seconds(until: plan.renewsAt))
    }

    /// Returns the time until an instant, negative once it has passed.
    private func seconds(until instant: Instant?) -> Duration? {
        instant.map { $0 - moment.now }
    }
}
