import Basics

extension SessionSnapshot {
    mutating func beginLogin() {
        loginFailure = nil
        problems.revocation = nil
        feed.leakingSocket = nil
    }

    mutating func begin(_ pair: PairDescription, at moment: Moment) {
        let isSameSession = current.map { $0.login == login } ?? false
        if !isSameSession { endReplaced(at: moment) }
        retireCurrent(at: moment)
        lastGenerationNumber += 1
        currentNumber = lastGenerationNumber
        generations.insert(
            GenerationRecord(
                number: lastGenerationNumber,
                login: login,
                generation: generation,
                pair: pair,
                receivedAt: moment
            )
        )
        generations.change(lastGenerationNumber - Self.claimsLimit) { old in
            old.pair.access?.claims = [:]
            old.pair.refresh?.claims = [:]
        }
        if !isSameSession {
            startedAt = moment
            problems.userChange = nil
            problems.lostScopes = []
        }
        let scopes = pair.scopes
        problems.lostScopes.removeAll(where: scopes.contains)
        introspections.clear()
        loginFailure = nil
        problems.protocolError = nil
        usableUntil = pair.usableUntil
        drainsAt = nil
        drainReason = nil
        refusal = nil
        recordRefreshToken(of: pair, isSameSession: isSameSession)
        if pair.origin == .refresh, let last = flights.last, !hasFailed(last) {
            flights.change(last.number) { $0.issued = generation }
        }
        // Requests that wait for another access token still do.
        guard !pair.keepsAccess else { return }
        if let number = pair.request {
            let issued = LoggedExchange.Issued(generation: generation, rotated: pair.rotated)
            requests.change(number) { $0.issued = issued }
        }
        for number in awaitingPair {
            requests.change(number) { $0.issuedAfter = generation }
        }
        awaitingPair = []
    }

    /// Returns the lifetime that the profile documents for a token of a pair, in seconds, if the
    /// stated one is another.
    package func documentedLifetime(
        otherThanStatedOf kind: TokenKind,
        _ pair: PairDescription
    ) -> Double? {
        capabilities.flatMap {
            pair.documentedLifetime(otherThanStatedOf: kind, in: $0)
        }
    }

    mutating func setCaptures(_ captures: [CaptureDescription]) {
        guard let currentNumber else { return }
        generations.change(currentNumber) { $0.pair.captures = captures }
    }

    private mutating func recordRefreshToken(of pair: PairDescription, isSameSession: Bool) {
        let fingerprint = pair.refresh?.fingerprint
        guard !isSameSession || refreshToken?.fingerprint != fingerprint else { return }
        refreshToken = fingerprint.map {
            RefreshTokenUse(fingerprint: $0, since: generation, issuedAt: pair.issuedAt)
        }
    }

    /// The session belongs to its first user, whichever user's tokens later renewals brought.
    mutating func recordUserChange(_ users: UserChange) {
        let first = problems.userChange?.before ?? users.before
        problems.userChange =
            first == users.after
            ? nil : UserChange(before: first, after: users.after, isUsed: users.isUsed)
    }

    private mutating func retireCurrent(at moment: Moment) {
        guard let currentNumber else { return }
        generations.change(currentNumber) { $0.replacedAt = moment }
    }

    /// A login took the place of a session that had not ended yet; one that only renewed it did not.
    private mutating func endReplaced(at moment: Moment) {
        guard let startedAt, drainReason != nil || capabilities?.renewsByLogin != true else {
            return
        }
        lastEnding = SessionEnding(
            reason: drainReason ?? .replaced,
            at: moment,
            startedAt: startedAt,
            refusal: refusal
        )
    }

    /// Nothing is held any more.
    mutating func release(at moment: Moment) {
        retireCurrent(at: moment)
        currentNumber = nil
        renewalPlan = nil
        usableUntil = nil
        drainsAt = nil
        drainReason = nil
        refusal = nil
        flightNumber = nil
        awaitingPair = []
        activeSessions = ActiveSessions()
        problems.protocolError = nil
        problems.hasNoProgress = false
        // What ended the session stays until the next one.
        if problems.userChange?.isUsed != false { problems.userChange = nil }
        flags.breakerOpenUntil = nil
        flags.unsaved = nil
    }

    /// The session is over.
    ///
    /// There are two events for it, the change of state and its own, in either order; a start
    /// without a session is not an end.
    mutating func end(_ reason: SignedOutReason, at moment: Moment) {
        let isNews = startedAt != nil || lastEnding?.reason != reason
        if isNews, reason != .never {
            lastEnding = SessionEnding(
                reason: reason,
                at: moment,
                startedAt: startedAt,
                refusal: refusal
            )
        }
        startedAt = nil
        markEnding(reason)
        release(at: moment)
    }

    /// The refresh that was refused is the one that ends the session.
    mutating func markEnding(_ reason: SignedOutReason) {
        guard let last = flights.last, last.ending == nil,
            case .failed(let failure, _, _) = last.outcome, failure.kind == .refused
        else { return }
        flights.change(last.number) { $0.ending = reason }
    }

    private func hasFailed(_ flight: FlightRecord) -> Bool {
        if case .failed = flight.outcome { return true }
        return false
    }
}
