import Basics
import Model

/// The flight lock between a flight's end and the moment at which others may have it: not before
/// they can read how the flight ended.
struct FlightLockProgress: Sendable {
    /// The lock of a flight that has ended except for a write, or for a response that is not
    /// awaited.
    var keptUntilSaved: OperationID?
    /// A flight that waits for that write.
    var postponed: PostponedFlight?
}

/// A flight that is postponed until the write of the last one has ended.
struct PostponedFlight: Sendable {
    let cause: RefreshCause
    let isLast: Bool
}

/// Giving the flight lock back: not while another process that had it would do harm.
extension ClientMachine {
    /// Ends the flight; keeps its lock while its refresh token is still in transit, because the
    /// owner of the lock may send that token.
    mutating func endFlight() {
        guard let flight else { return }
        live?.renewal = .none
        if !flight.hasSent { experimentNotMade() }
        if keepsLock {
            flightLock.keptUntilSaved = flight.lock
        } else {
            effects.append(.unlockFlight(flight.lock))
        }
    }

    /// Ends the flight, and releases its lock once its outcome is written.
    mutating func endFlightOnceSaved() {
        guard let flight else { return }
        live?.renewal = .none
        if !flight.hasSent { experimentNotMade() }
        flightLock.keptUntilSaved = flight.lock
    }

    /// Returns the lock once the result of the last flight is written, or void, or will not be
    /// written.
    ///
    /// Nothing happens while its refresh token is on its way or the session's end is not written: the
    /// end of each comes here.
    mutating func returnLock() {
        if let lock = flightLock.keptUntilSaved, !keepsLock {
            flightLock.keptUntilSaved = nil
            if let login, login.isRenewal {
                // It went on from memory with this lock, and gives it back at its end.
                changeLogin { $0.lock = lock }
            } else {
                effects.append(.unlockFlight(lock))
            }
        }
        lockWaitingLogin()
        guard storage.unsaved == nil, let next = flightLock.postponed else { return }
        flightLock.postponed = nil
        guard !isHeldBack(next.cause) else { return }
        beginFlight(next.cause, isLast: next.isLast)
    }

    /// Whether another process that had the lock now would send a token that is on its way, or one
    /// of a session that has ended here and not yet in the vault.
    private var keepsLock: Bool {
        let isErased = held == nil
        if isErased, storage.unsaved != nil { return true }
        return operations.contains { operation in
            switch operation {
            case .refresh, .tombstone: true
            case .save: isErased
            case .loadAtStart, .loadAfterChange, .lockFlight, .authorization, .lockLogin,
                .checkBeforeLogin, .readBeforeLogin, .readBeforeFlight, .readWithoutLock,
                .readAfterRefusal,
                .journal, .rotation, .refreshTokenOnly, .firstPair, .outbox, .login, .protected,
                .question, .revocation, .experiment, .probe:
                false
            }
        }
    }
}
