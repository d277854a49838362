import Basics
import Model
import Profiles

/// Changes by another process, as read from the vault: a newer pair is adopted, and an ended
/// session ends here too.
extension ClientMachine {
    /// Applies a record that another process has written in the meantime.
    ///
    /// - Returns: Whether there is one; if not, the record is that of this process, and the flight
    ///   continues.
    mutating func adoptChanges(from record: VaultRecord?) -> Bool {
        guard let held else { return false }
        guard let record else {
            endFlight()
            signOut(.deletedExternally)
            return true
        }
        guard let stored = record.pair else {
            endFlight()
            epoch = max(epoch, record.epoch)
            let refusal = record.ending?.family == held.family ? record.ending?.refusal : nil
            if let refusal { emit(RefreshTokenRefused(refusal)) }
            signOut(reason(of: record.ending), isStored: true, refusal: refusal)
            return true
        }
        if record.family == held.family {
            if stored.generation > held.generation {
                adopt(stored, of: record)
                return true
            }
            followCaptures(of: stored)
            return followEnding(of: stored)
        }
        endFlight()
        epoch = record.epoch
        guard stored.statements.subject == held.subject else {
            signOut(.replaced)
            return true
        }
        // Another login counts its generations from 1 again: the feed of the one before is closed.
        orderFeed(.ended)
        countLogin()
        adopt(stored, of: record)
        return true
    }

    /// Returns why another process ended the session.
    private func reason(of ending: StoredEnding?) -> SignedOutReason {
        guard let ending, ending.family == held?.family else { return .deletedExternally }
        switch ending.reason {
        case .user, .everywhere: return .endedElsewhere
        default: return ending.reason
        }
    }

    /// Ends the session, or uses its access token to the end, if the refresh token of this pair was
    /// refused to another process.
    private mutating func followEnding(of stored: PairRecord) -> Bool {
        guard let pair = held, stored.generation == pair.generation,
            stored.tokens.refresh == nil, pair.tokens.refresh != nil
        else { return false }
        endFlight()
        let reason = stored.ending ?? .revoked
        if let refusal = stored.refusal { emit(RefreshTokenRefused(refusal)) }
        endOrDrain(reason, stored.refusal)
        return true
    }

    private mutating func adopt(_ stored: PairRecord, of record: VaultRecord) {
        let interrupted = flight?.number
        endFlight()
        flightLock.postponed = nil
        if storage.unsaved != nil {
            revokeOrphan(unless: record.family)
            recordSaved()
        }
        returnLock()
        timers[.probe] = nil
        let times = StoredTimes(savedAt: record.savedAt, now: clock)
        if times.setBack == 0 { server.adopt(stored.offset, measuredAt: record.savedAt) }
        let rotated = stored.tokens.refresh != held?.tokens.refresh
        let pair = SessionPair(stored: stored, family: record.family, times: times)
        if bringsRefreshTokenOnly(pair) {
            return adoptRefreshToken(of: pair, interrupting: interrupted)
        }
        let next = ScheduledPair(pair: pair, schedule: schedule(pair))
        emit(PairAdopted())
        publish(next, origin: .adopted, rotated: rotated)
    }
}
