/// Giving the lock of a flight back: not before others can read how it ended.
extension SessionMachine {
    /// The flight is over; its lock is kept while its refresh token is on its way still, because
    /// whoever has the lock may send that token.
    mutating func endFlight() {
        guard let flight else { return }
        self.flight = nil
        if keepsLock {
            lockUntilSaved = flight.lock
        } else {
            effects.append(.unlockFlight(flight.lock))
        }
    }

    /// The flight is over, and its lock is given back once what it learned is written.
    mutating func endFlightOnceSaved() {
        guard let flight else { return }
        self.flight = nil
        lockUntilSaved = flight.lock
    }

    /// What the last flight learned is written, or void, or will not be written.
    ///
    /// Nothing happens while its refresh token is on its way or a logout is being written: the end
    /// of each comes here.
    mutating func returnLock() {
        if let lock = lockUntilSaved, !keepsLock {
            lockUntilSaved = nil
            effects.append(.unlockFlight(lock))
        }
        lockWaitingLogin()
        guard flags.unsaved == nil, let next = postponed else { return }
        postponed = nil
        beginFlight(next.cause, isLast: next.isLast)
    }

    /// Whether another process that had the lock now would send a token that is on its way, or one
    /// of a session that is being ended.
    private var keepsLock: Bool {
        operations.values.contains { operation in
            switch operation {
            case .refresh, .tombstone: true
            case .loadAtStart, .loadAfterChange, .lockFlight, .lockLogin, .checkBeforeLogin,
                .readBeforeLogin, .readBeforeFlight, .readWithoutLock, .readAfterRefusal,
                .journal, .rotation, .firstPair, .save, .outbox, .login, .protected, .revocation,
                .probe:
                false
            }
        }
    }
}
