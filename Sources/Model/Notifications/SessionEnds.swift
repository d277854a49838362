import Basics

/// The ends of sessions that nothing can renew, as far as events tell.
struct SessionEnds: Sendable {
    /// The known end of a session.
    struct End: Sendable, Hashable {
        let at: Instant
        let reason: SignedOutReason
        let login: Int
    }

    private struct Session: Sendable {
        /// The event that said something about the session last.
        var last: SessionEvent
        var accessEnd: Instant?
        /// When the session reaches its longest life, if that ends it.
        var ageEnd: Instant?
        /// Why it ends if nothing can renew it.
        var ending: SignedOutReason?

        var end: End? {
            if let ending, let accessEnd {
                return End(at: accessEnd, reason: ending, login: last.login)
            }
            return ageEnd.map { End(at: $0, reason: .sessionExpired, login: last.login) }
        }
    }

    /// One for each session of this program that is alive.
    private var sessions: [SessionID: Session] = [:]
    /// The ends that are known, by session.
    private(set) var known: [SessionID: End] = [:]

    /// Returns whether an event tells anything of an end.
    static func follow(_ event: SessionEvent) -> Bool {
        event.kind is TokensIssued || event.kind is RenewalPlanned || event.kind is SignedOut
    }

    mutating func apply(_ event: SessionEvent) {
        guard Self.follow(event) else { return }
        if event.kind is SignedOut {
            sessions[event.session] = nil
            known[event.session] = nil
            return
        }
        var session = sessions[event.session] ?? Session(last: event)
        session.last = event
        if let pair = (event.kind as? TokensIssued)?.pair {
            // Of an app's pair it is not known whether the app can renew it.
            guard pair.origin != .joined else { return }
            session.accessEnd = pair.accessExpiry?.statedEnd ?? pair.usableUntil
            session.ageEnd = pair.endsByAge ? pair.sessionEnd : nil
        } else if let plan = (event.kind as? RenewalPlanned)?.plan {
            session.ending = plan.expectedEnd
        }
        sessions[event.session] = session
        known[event.session] = session.end
    }

    /// Returns what is notified of a session's end, at a moment.
    func notice(of id: SessionID, at moment: Moment) -> SessionEvent? {
        guard let session = sessions[id], let end = known[id] else { return nil }
        var event = session.last
        event.moment = moment
        event.kind = SessionEndsSoon(endsAt: end.at, reason: end.reason)
        return event
    }
}

extension RenewalPlan {
    /// Why the session ends if no renewal of this plan can succeed, or `nil` if one may.
    fileprivate var expectedEnd: SignedOutReason? {
        switch (ending, reason) {
        case (let ending?, _): ending
        case (nil, .refreshTokenOver): .refreshExpired
        case (nil, .refreshTokenSpent): .consumeWithoutReturn
        default: nil
        }
    }
}
