import Basics
import Model
import Profiles

/// The flight from the answer on. From top to bottom: find out what the answer means, commit the pair
/// that it brings, publish (`Publish.swift`).
extension ClientMachine {
    // MARK: - Receive the answer

    mutating func refreshEnded(_ id: OperationID, _ exchange: CompletedExchange<RefreshResponse>) {
        let operation = operations.end(id)
        if case .experiment(let send)? = operation {
            return experimentAnswered(id, send, exchange)
        }
        guard case .refresh(let number, let send)? = operation else { return }
        let current = flight.flatMap { $0.number == number ? $0 : nil }
        let isDiscarded = current.map { discards(exchange, of: $0) } ?? false
        logExchange(
            exchange,
            id: send.record,
            purpose: .refresh,
            token: fingerprinter.fingerprint(of: send.token),
            generation: send.generation,
            why: current.map { why($0, isDiscarded: isDiscarded) } ?? .abandonedRefresh,
            flight: number,
            tokenIssuedAt: send.issuedAt
        )
        guard let current, send.epoch == epoch else {
            revokeStray(exchange, of: send)
            return returnLock()
        }
        let answer = FlightAnswer(exchange: exchange, number: send.record)
        if current.sends > 1 { return simultaneousRefreshEnded(answer) }
        if isDiscarded { return discard(answer, spent: send.token) }
        changeFlight { $0.broughtBy = send.record }
        answerNotDiscarded(exchange)
        guard let meaning = meaning(of: exchange) else { return }
        refreshEnded(with: meaning, sentAt: exchange.sentAt, endedAt: exchange.endedAt)
    }

    private func why(_ flight: Flight, isDiscarded: Bool) -> RequestCause {
        if flight.sends > 1 { return .experiment(.concurrentRefresh) }
        return isDiscarded ? .experiment(.dropAfterCommit.at(.client)) : .refresh(flight.cause)
    }

    mutating func meaning(
        of exchange: CompletedExchange<RefreshResponse>
    ) -> SessionLedger.RefreshMeaning? {
        let (moment, known) = (clock, server)
        return live?.ledger.refreshEnded(exchange, at: moment, server: known)
    }

    /// Continues the flight with what its answer means.
    mutating func refreshEnded(
        with meaning: SessionLedger.RefreshMeaning,
        sentAt: Moment,
        endedAt: Moment
    ) {
        switch meaning {
        case .renewed(let issued):
            server.observe(roundTrip: endedAt.now.seconds(since: sentAt.now))
            if !configuration.allowsUserChange, let change = userChange(of: issued) {
                return anotherUserCame(change)
            }
            commitSuccessor(issued, sentAt: sentAt)
        case .refreshTokenOnly(let successor, let retryAfter):
            commitRefreshToken(successor, retryAfter: retryAfter, sentAt: sentAt)
        case .failed(let failure, let retryAfter):
            if failure.kind == .clientFault { recordClientFault(failure) }
            recordDoubt(failure)
            flightFailed(failure, retryAfter: retryAfter)
        case .lost(let failure): answerLost(failure)
        case .refused(let failure, let reason, let isBare):
            refused(failure, followsSecondUse ? .experiment : reason, isBare: isBare)
        }
    }

    /// Returns the users if a renewal brought the token of another one, or `nil` if it did not, or
    /// nothing says whose it is.
    private func userChange(of issued: IssuedTokens) -> UserChange? {
        guard let before = held?.subject, let after = issued.statements.subject, before != after
        else { return nil }
        return UserChange(before: before, after: after, isUsed: false)
    }

    /// A renewal brought another user's token, which is not used: the refresh token is spent, as far
    /// as is known, and sending it again would end the session, too.
    private mutating func anotherUserCame(_ change: UserChange) {
        guard let flight else { return }
        emit(change)
        endFlightOnceSaved()
        refreshTokenEnded(
            number: flight.number,
            failure: RefreshFailure(.anotherUser(change)),
            .anotherUser
        )
    }

    /// Queues the revocation of a pair that arrived after its session had ended.
    private mutating func revokeStray(
        _ exchange: CompletedExchange<RefreshResponse>,
        of send: RefreshSend
    ) {
        var issued: IssuedTokens
        switch exchange.outcome {
        case .answered(.issued(let tokens)):
            issued = tokens
            // The old refresh token stays valid if there is no new one.
            issued.refresh = issued.refresh ?? send.token
        case .answered(.refreshTokenOnly(let successor)):
            issued = IssuedTokens(access: send.access, refresh: successor.refresh)
            issued.captured = successor.captured
        case .answered(.refused), .answered(.failed), .notSent, .unanswered: return
        }
        queueRevocation(of: firstPair(issued, sentAt: exchange.sentAt).pair)
    }

    // MARK: - Commit

    /// Writes the pair that follows the one in use, and publishes it then.
    mutating func commitSuccessor(_ issued: IssuedTokens, sentAt: Moment) {
        guard let session = live, let flight else { return }
        let next = session.ledger.successor(
            issued,
            sentAt: sentAt,
            server: server,
            wasDueForRefreshToken: flight.isForRefreshToken || flight.isLast
        )
        let refresh = next.tokens.refresh
        let rotated = refresh != nil && refresh != session.pair.tokens.refresh
        let scheduled = ScheduledPair(
            pair: next,
            schedule: schedule(next, isSpread: flight.cause != .timer)
        )
        var record = currentRecord(journal: nil)
        record.pair = next.stored(offset: server.offset)
        commit(record, as: .rotation(flight.number, scheduled, rotated: rotated))
    }

    mutating func rotationCommitted(
        _ number: Int,
        _ next: ScheduledPair,
        rotated: Bool,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        guard follows(next.pair, of: number, result), let flight, let session = live else { return }
        let renewal = Renewal(
            flight: number,
            cause: flight.cause,
            roundTrip: clock.now - next.pair.issuedAt.now,
            remainingLead: session.pair.access.map { $0.at - clock.now } ?? .zero,
            recovered: session.tally.lost > 0 ? session.tally.lastLoss : nil,
            isForAccessToken: flight.cause != .user && !flight.isLast
                && !flight.isForRefreshToken
        )
        if storage.unsaved == nil { endFlight() } else { endFlightOnceSaved() }
        // The failure of a flight that was refused has been published.
        publish(
            next,
            origin: .refresh,
            rotated: rotated,
            renewal: flight.usesKeptTokens ? nil : renewal,
            request: flight.broughtBy
        )
        if flight.usesKeptTokens { keptTokensPublished() }
    }

    /// Returns whether the pair that a flight has brought follows the one in use, stored or in memory; if
    /// not, it is revoked, and the flight has ended with what another process has stored.
    mutating func follows(
        _ next: SessionPair,
        of number: Int,
        _ result: Result<CommitVerdict, VaultProblem>
    ) -> Bool {
        guard flight?.number == number, live != nil else {
            queueRevocation(of: next)
            return false
        }
        switch result {
        case .success(.committed), .success(.erased): return true
        case .success(.superseded(let record)):
            queueRevocation(of: next)
            if !adoptChanges(from: record) {
                flightFailed(RefreshFailure(.vaultChanged), retryAfter: nil)
            }
            return false
        case .failure(let problem):
            recordUnsaved(problem)
            return true
        }
    }
}
