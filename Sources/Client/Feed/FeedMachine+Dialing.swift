import Basics
import Model
import Profiles

/// Dialing: when a socket is opened, with which token, and what follows from a refusal.
extension FeedMachine {
    mutating func tokenArrived(_ generation: Int, usableUntil: Instant?) {
        if token == nil { startOver() }
        ledger.tokenIssued(FeedToken(generation: generation, usableUntil: usableUntil))
        if awaitsValue { redial = .atOnce }
        switch redial {
        case .stopped, .shutDown: return
        case .waiting(let wait):
            // A new token ends the wait that follows the refusal of an older one, but does not
            // shorten that of a backoff or `Retry-After`.
            guard let refusal = wait.refusal, generation > refusal.generation else { return }
            redial = .atOnce
            if primary == nil, let close = refusal.close, now < close.restsUntil {
                return waitToDial(
                    until: close.restsUntil,
                    .backoff(attempt: attempt, why: .closed(code: close.code)),
                    after: refusal
                )
            }
        case .atOnce: break
        }
        redial = .atOnce
        guard let primary else { return dial() }
        guard primary.isOpen, generation > primary.generation else { return }
        updateToken(of: primary)
    }

    /// Resets what belongs to the previous session.
    private mutating func startOver() {
        redial = .atOnce
        skipsHistory = false
        attempt = 0
        seen = SeenMessages()
        copies = UnmatchedCopies()
        lastApplied = nil
        lastID = nil
        lostSocket = nil
        reconnectionTime = 0
    }

    mutating func dial() {
        releaseOrphans()
        if primary == nil, let socket = startDial() { primary = socket }
        updateState()
    }

    mutating func startDial() -> FeedSocket? {
        guard let token, !redial.isStopped else { return nil }
        // An expired token is not used: the session provides the next one.
        if let until = token.usableUntil, now >= until { return nil }
        lastSocket += 1
        redial = .atOnce
        let since = asksSince && !skipsHistory ? lastMessage : nil
        defer { skipsHistory = false }
        perform(.dial(socket: lastSocket, generation: token.generation, since: since))
        return FeedSocket(
            number: lastSocket,
            generation: token.generation,
            dialedAt: now,
            isPinged: carrier == .webSocket,
            isResumed: since != nil || skipsHistory,
            talk: FeedTalk(script)
        )
    }

    /// Dials a feed that waits, or has stopped, at once.
    mutating func dialNow() {
        if case .shutDown = redial { return }
        guard token != nil else { return }
        redial = .atOnce
        attempt = 0
        dialAgain()
    }

    mutating func dialAgain() {
        if primary == nil { dial() } else { retrySwitch() }
    }

    /// Whether the feed is stopped until a captured value has arrived.
    var awaitsValue: Bool {
        if case .stopped(let why) = redial { why.awaitsValue } else { false }
    }

    /// The message after which the backend is asked to begin: the last one applied or, while all are
    /// held for an older socket, the number before the first of them.
    private var lastMessage: String? {
        guard carrier == .webSocket else { return lastID }
        let firstHeld = heldMessages.compactMap(\.message.seq).min()
        return (lastApplied ?? firstHeld.map { $0 &- 1 }).map { String($0) } ?? lastID
    }

    mutating func dialStarted(_ number: Int, target: String) {
        guard let socket = socket(number) else { return }
        emit(FeedDialing(socket: number, generation: socket.generation, target: target))
    }

    mutating func opened(_ number: Int) {
        guard let socket = socket(number), !socket.isClosing else {
            return perform(.close(socket: number, code: 1000))
        }
        let now = now
        change(number) { $0.connectedAt = now }
        converse(.opened, on: number)
    }

    /// Uses a socket that the server has accepted.
    mutating func accepted(_ number: Int) {
        guard let socket = socket(number) else { return }
        emit(
            FeedOpened(
                socket: number,
                generation: socket.generation,
                after: now - socket.dialedAt
            )
        )
        let now = now
        change(number) { $0.openedAt = now }
        recordInbound(number)
        if primary?.number == number { retrySwitch() }
        updateState()
    }

    mutating func refused(_ refusal: FeedRefused, retryAfter: Double?) {
        guard let socket = socket(refusal.socket) else { return }
        let status = refusal.status
        emit(refusal)
        drop(refusal.socket)
        switch Self.verdict(refusal) {
        case .tokenRejected: tokenRejected(socket, .refused(status: status))
        case .stop: stop(.upgradeRefused(status: status))
        case .backoff, .oneSocketOnly:
            let atLeast = max(retryAfter ?? 0, FeedPolicy.leastWait)
            backOff(atLeast: atLeast, why: .upgradeRefused(status: status))
        }
    }

    /// What the rules of the profile say of an upgrade that was refused, or else its status: for a
    /// challenge that another token does not answer, there is nothing to dial again with.
    private static func verdict(_ refusal: FeedRefused) -> FeedVerdict {
        switch refusal.evidence?.rule {
        case .notExpiredError?, .notRenewable?: .stop
        case .refused?: .tokenRejected
        default: FeedPolicy.verdict(status: refusal.status)
        }
    }

    mutating func failed(_ number: Int, why: FeedCause) {
        guard socket(number) != nil else { return }
        emit(FeedFailed(socket: number, why: why))
        drop(number)
        if why.awaitsValue { return stop(why) }
        backOff(atLeast: 0, why: why)
    }

    // MARK: - Refusals and backoff

    /// Dials again with the newest token, requests a renewal, or waits, after the backend refused
    /// the token of a socket.
    mutating func tokenRejected(
        _ socket: FeedSocket,
        _ reason: FeedWait.Reason,
        close: FeedRefusal.Close? = nil
    ) {
        guard token != nil, !redial.isStopped else { return updateState() }
        if ledger.isOutdated(socket.generation) { return dialNewest(.awaitsRenewal) }
        if let primary { observeDuration(of: primary) }
        let refusal = FeedRefusal(generation: socket.generation, close: close)
        let waits = FeedPolicy.refusedWaits
        switch ledger.socketRefused(generation: socket.generation) {
        case .stale:
            effects.append(.tokenRejected(generation: socket.generation))
            waitToDial(
                until: now.advanced(bySeconds: waits[0]),
                .backoff(attempt: attempt, why: .awaitsRenewal),
                after: refusal
            )
        case .persistent(let count):
            let seconds = waits[min(count, waits.count - 1)]
            waitToDial(
                until: now.advanced(bySeconds: seconds),
                reason,
                after: refusal
            )
        }
    }

    /// Dials with the newest token after the end of a socket with an older one: at once, or when the wait
    /// is over that another socket with the newest has led to.
    mutating func dialNewest(_ why: FeedCause) {
        guard primary == nil else { return retrySwitch() }
        guard case .waiting(var wait) = redial else { return dial() }
        wait.reason = .backoff(attempt: attempt, why: why)
        redial = .waiting(wait)
        updateState()
    }

    /// Observes how long a socket has been open, and whether it has carried messages.
    mutating func observeDuration(of socket: FeedSocket) {
        guard let openedAt = socket.openedAt else { return }
        let seconds = now.seconds(since: openedAt)
        ledger.socketOpen(generation: socket.generation, for: seconds)
        let isOfUse = socket.hasCarried && !socket.endsLikeRefused(at: now)
        if isOfUse || seconds >= FeedPolicy.stable { attempt = 0 }
    }

    /// Waits before the next dial.
    ///
    /// - Parameters:
    ///   - atLeast: The seconds that the server asks for.
    ///   - used: The seconds since the dial of a socket that has been of use, which count as a part
    ///     of the wait: a server that closes a long used socket is asked for another one at once.
    ///   - why: The reason for which the feed waits.
    mutating func backOff(atLeast: Double, used: Double = 0, why: FeedCause) {
        guard token != nil, !redial.isStopped else { return updateState() }
        let backoff = FeedPolicy.backoff(attempt: attempt, random: random.uniform(0...1))
        let seconds = max(
            reconnectionTime,
            atLeast.clamped(to: 0...RetryPolicy.longestRetryAfter),
            backoff - used,
            0
        )
        attempt += 1
        waitToDial(until: now.advanced(bySeconds: seconds), .backoff(attempt: attempt, why: why))
    }

    /// Waits at least until an instant: what happens to one socket does not shorten a wait that another
    /// one has begun.
    private mutating func waitToDial(
        until instant: Instant,
        _ reason: FeedWait.Reason,
        after refusal: FeedRefusal? = nil
    ) {
        if let longer = redial.wait, longer.until > instant {
            redial = .waiting(
                FeedWait(
                    until: longer.until,
                    reason: longer.reason,
                    refusal: longer.refusal.map { refusal ?? $0 }
                )
            )
        } else {
            redial = .waiting(FeedWait(until: instant, reason: reason, refusal: refusal))
        }
        updateState()
    }

    mutating func stop(_ why: FeedCause) {
        redial = .stopped(why: why)
        updateState()
    }
}
