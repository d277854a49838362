import Basics

extension SessionSnapshot {
    init(folding events: some Sequence<SessionEvent>) {
        self.init()
        for event in events { apply(event) }
    }

    /// Takes one event in; events come in the order in which they happened.
    package mutating func apply(_ event: SessionEvent) {
        if firstEventAt == nil { firstEventAt = event.moment }
        profile = event.profile
        login = event.login
        if event.generation > 0 { generation = event.generation }
        statistics.apply(event)
        history.append(event)
        event.kind.apply(to: &self, in: event)
    }

    mutating func enter(_ state: SessionState, at moment: Moment) {
        if state != .signingIn { authorization = nil }
        self.state = state
        switch state {
        case .signedOut(let reason): end(reason, at: moment)
        case .draining(let reason): drain(until: drainsAt ?? usableUntil, reason)
        case .signingOut: release(at: moment)
        case .cold, .vaultUnavailable, .signingIn, .fresh, .renewing, .retrying, .blocked,
            .expired, .unknown:
            drainsAt = nil
        }
    }

    mutating func drain(until instant: Instant?, _ reason: SignedOutReason) {
        drainsAt = instant
        drainReason = reason
        markEnding(reason)
    }

    /// Takes in that a socket was opened with the access token of a generation.
    mutating func recordSocket(_ socket: Int, of generation: Int) {
        let number = generations.last {
            $0.login == login && $0.generation == generation
        }?.number
        guard let number else { return }
        generations.change(number) { record in
            record.sockets = record.sockets.suffix(GenerationRecord.socketLimit - 1) + [socket]
        }
    }
}
