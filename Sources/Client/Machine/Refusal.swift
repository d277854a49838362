import Basics
import Model
import Profiles

/// The end of a refresh token, by a refusal or by its time.
extension ClientMachine {
    /// A definitive refusal, until the vault was read again.
    struct RefusalNotice: Sendable {
        let failure: RefreshFailure
        let reason: SignedOutReason
    }

    /// Reads the vault once more after the refresh token was refused, because another process may
    /// have renewed.
    mutating func refused(_ failure: RefreshFailure, _ reason: SignedOutReason, isBare: Bool) {
        guard let flight else { return }
        guard !isBare || !flight.isLast else { return flightFailed(failure, retryAfter: nil) }
        let notice = RefusalNotice(failure: failure, reason: reason)
        effects.append(.loadRecord(begin(.readAfterRefusal(flight.number, notice))))
    }

    mutating func readAfterRefusal(
        _ number: Int,
        _ notice: RefusalNotice,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        guard let flight, flight.number == number else { return }
        if case .success(let record) = result, adoptChanges(from: record) { return }
        if let kept = takeKeptTokens() {
            return continueFlight(with: kept, after: notice.failure)
        }
        endFlightOnceSaved()
        var evidence = live?.ledger.refusalEvidence(notice.failure, at: clock.now)
        if notice.reason == .experiment {
            evidence?.possibleCauses = [.experiment]
        } else if flight.sends > 1 {
            evidence?.possibleCauses.append(.experiment)
        }
        if let evidence { emit(RefreshTokenRefused(evidence)) }
        emitFailure(
            notice.failure,
            flight: number,
            attempt: (live?.tally.inARow ?? 0) + 1
        )
        // A request was refused with this access token: there is no usable token.
        guard !flight.cause.isRefusal, live?.ledger.isAccessRefused == false else {
            return signOut(notice.reason, refusal: evidence)
        }
        endOrDrain(notice.reason, evidence)
    }

    /// Ends a session whose refresh token is over, or uses its access token until it expires: the
    /// profile decides what a refusal means for it.
    mutating func endOrDrain(_ reason: SignedOutReason, _ refusal: RefusalEvidence?) {
        let ends = refusal != nil && configuration.refusalEnds
        guard !ends, let session = live, session.isUsable(at: clock.now) else {
            return signOut(reason, refusal: refusal)
        }
        drain(reason, refusal: refusal)
    }

    mutating func refreshTokenEnded(
        number: Int,
        failure: RefreshFailure,
        _ reason: SignedOutReason = .refreshExpired
    ) {
        emitFailure(failure, flight: number, attempt: (live?.tally.inARow ?? 0) + 1)
        guard let session = live, session.isUsable(at: clock.now) else {
            return signOut(reason)
        }
        drain(reason)
    }

    mutating func giveUp(_ failure: RefreshFailure, flight number: Int) {
        emitFailure(failure, flight: number)
        signOut(.gaveUp)
    }

    /// Uses the access token until `usableUntil`; the refresh token is never sent again.
    mutating func drain(_ reason: SignedOutReason, refusal: RefusalEvidence? = nil) {
        if reason == .experiment { experimentEnds(with: reason) }
        if isProbing {
            live?.renewal = .none
            experimentNotMade()
        }
        live?.ledger.refreshTokenEnded(reason, refusal)
        timers.clear(.retry, .refreshAt, .refreshEnd, .probe)
        emit(SessionDraining(endsAt: schedule?.usableUntil, reason: reason))
        finish(.refresh(.draining(reason, until: schedule?.usableUntil)))
        setLiveState(.draining(reason), why: .ended(reason))
        commit(currentRecord(journal: nil), as: .save)
        abandonLogoutEverywhere()
        // No newer token will come for those who wait for one.
        grantWaiters()
        failWaiters(.signedOut(reason))
    }
}
