import Basics

/// What an event says of the end of its session.
package enum SessionEndNews: Sendable {
    /// The session has this pair.
    case pair(PairDescription)
    /// This is planned for its next renewal.
    case plan(RenewalPlan)
    /// The session is over, or is followed no longer.
    case over
}

/// The ends of sessions that nothing can renew, as far as events tell.
struct SessionEnds: Sendable {
    /// The known end of a session.
    struct End: Sendable, Hashable {
        let at: Instant
        let reason: SignedOutReason
        let login: Int
    }

    private struct Session: Sendable {
        let profile: String
        /// As of the event that said something about the session last.
        var login = 0
        var generation = 0
        var accessEnd: Instant?
        /// When the session reaches its longest life, if that ends it.
        var ageEnd: Instant?
        /// Why it ends if nothing can renew it.
        var ending: SignedOutReason?

        var end: End? {
            if let ending, let accessEnd {
                return End(at: accessEnd, reason: ending, login: login)
            }
            return ageEnd.map { End(at: $0, reason: .sessionExpired, login: login) }
        }
    }

    /// One for each session that is alive.
    private var sessions: [SessionID: Session] = [:]
    /// The ends that are known, by session.
    private(set) var known: [SessionID: End] = [:]

    mutating func apply(_ event: SessionEvent) {
        guard let news = event.kind.endNews else { return }
        var session = sessions[event.session] ?? Session(profile: event.profile)
        session.login = event.login
        session.generation = event.generation
        switch news {
        case .pair(let pair):
            // Of an app's pair it is not known whether the app can renew it.
            guard pair.origin != .joined else { return }
            session.accessEnd = pair.accessExpiry?.statedEnd ?? pair.usableUntil
            session.ageEnd = pair.endsByAge ? pair.sessionEnd : nil
        case .plan(let plan): session.ending = plan.expectedEnd
        case .over:
            sessions[event.session] = nil
            known[event.session] = nil
            return
        }
        sessions[event.session] = session
        known[event.session] = session.end
    }

    /// Returns what is notified of a session's end, at a moment.
    func notice(of id: SessionID, at moment: Moment) -> SessionEvent? {
        guard let session = sessions[id], let end = known[id] else { return nil }
        return SessionEvent(
            moment: moment,
            session: id,
            profile: session.profile,
            login: session.login,
            generation: session.generation,
            kind: SessionEndsSoon(endsAt: end.at, reason: end.reason)
        )
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
