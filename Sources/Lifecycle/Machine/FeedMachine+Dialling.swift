import Dialects
import Timekeeping

extension FeedMachine {
    mutating func tokenArrived(_ generation: Int, usableUntil: Instant?) {
        if token == nil { startOver() }
        ledger.tokenIssued(FeedToken(generation: generation, usableUntil: usableUntil))
        // What a server asked for, or a backoff, is not cut short by a rotation.
        guard !isStopped, redialAt == nil || awaitsToken else { return }
        guard let primary else {
            redialAt = nil
            return dial()
        }
        guard primary.isOpen, generation > primary.generation else { return }
        follow(primary)
    }

    /// Another session begins: nothing of the one before matters.
    private mutating func startOver() {
        isStopped = false
        stoppedWhy = nil
        awaitsToken = false
        attempt = 0
        seen = SeenMessages()
        lastApplied = nil
        lastID = nil
        lostSocket = nil
    }

    mutating func follow(_ primary: FeedSocket) {
        switch following {
        case .keep: return
        case .restart:
            perform(.close(socket: primary.number, code: 1000))
            self.primary?.isClosing = true
            switchStartedAt = now
        case .message:
            guard let token else { return }
            self.primary?.generation = token.generation
            perform(
                .reauthenticate(socket: primary.number, generation: token.generation)
            )
            showState()
        case .overlap:
            guard successor == nil, retired == nil, let socket = startDial() else { return }
            switchStartedAt = now
            overlapDuplicates = 0
            successor = socket
            showState()
        }
    }

    mutating func dial() {
        releaseOrphans()
        if token != nil, primary == nil, !isStopped, let socket = startDial() { primary = socket }
        showState()
    }

    private mutating func startDial() -> FeedSocket? {
        guard let token else { return nil }
        // A dead token is not dialled with: the session brings the next one.
        if let until = token.usableUntil, now >= until { return nil }
        lastSocket += 1
        redialAt = nil
        awaitsToken = false
        let since = asksSince ? lastMessage : nil
        perform(.dial(socket: lastSocket, generation: token.generation, since: since))
        return FeedSocket(
            number: lastSocket,
            generation: token.generation,
            dialledAt: now,
            isResumed: since != nil
        )
    }

    /// What the backend is asked for the messages after: the last one applied or, as long as all wait
    /// for an older socket, the number before the first of them.
    private var lastMessage: String? {
        let firstHeld = heldMessages.compactMap(\.message.seq).min()
        return (lastApplied ?? firstHeld.map { $0 &- 1 }).map { String($0) } ?? lastID
    }

    mutating func noteDial(_ number: Int, target: String) {
        guard let socket = socket(number) else { return }
        emit(.dialing(socket: number, generation: socket.generation, target: target))
    }

    func socket(_ number: Int) -> FeedSocket? {
        [primary, successor, retired].compactMap { $0 }.first { $0.number == number }
    }

    mutating func opened(_ number: Int) {
        guard let socket = socket(number), !socket.isClosing else {
            return perform(.close(socket: number, code: 1000))
        }
        emit(
            .opened(
                socket: number,
                generation: socket.generation,
                after: now - socket.dialledAt
            )
        )
        if successor?.number == number {
            successor?.openedAt = now
        } else if primary?.number == number {
            primary?.openedAt = now
            if let token, token.generation > socket.generation, let primary { follow(primary) }
        }
        showState()
    }

    mutating func refused(_ number: Int, status: Int, retryAfter: Double?) {
        guard let socket = socket(number) else { return }
        emit(.refused(socket: number, status: status))
        drop(number)
        switch FeedPolicy.verdict(status: status) {
        case .tokenRejected: rejected(socket, status: status)
        case .stop: stop(.upgradeRefused(status: status))
        case .backoff, .oneSocketOnly:
            backOff(atLeast: retryAfter ?? 0, why: .upgradeRefused(status: status))
        }
    }

    mutating func failed(_ number: Int, why: FeedCause) {
        guard socket(number) != nil else { return }
        emit(.failed(socket: number, why: why))
        drop(number)
        backOff(atLeast: 0, why: why)
    }

    /// The backend refused a token of ours: an old one, or one that must be renewed, or both.
    mutating func rejected(_ socket: FeedSocket, status: Int) {
        guard token != nil else { return }
        if ledger.isOutdated(socket.generation) {
            return primary == nil ? dial() : retrySwitch()
        }
        if let primary { observeDuration(of: primary) }
        let waits = FeedPolicy.refusedWaits
        switch ledger.socketRefused(generation: socket.generation) {
        case .stale:
            awaitsToken = true
            effects.append(.tokenRejected(generation: socket.generation))
            let nextAt = redial(after: waits[0])
            guard primary == nil else { return showState() }
            move(to: .backoff(attempt: attempt, nextAt: nextAt, why: .awaitsRenewal))
        case .persistent(let count):
            let nextAt = redial(after: waits[min(count, waits.count - 1)])
            guard primary == nil else { return showState() }
            move(to: .refused(status: status, nextAt: nextAt))
        }
    }

    /// Observes how long a socket has been open.
    mutating func observeDuration(of socket: FeedSocket) {
        guard let openedAt = socket.openedAt else { return }
        let seconds = now.seconds(since: openedAt)
        ledger.socketOpen(generation: socket.generation, for: seconds)
        if seconds >= FeedPolicy.stable { attempt = 0 }
    }

    mutating func backOff(atLeast: Double, why: FeedCause) {
        guard token != nil, !isStopped else { return showState() }
        let wait = max(
            atLeast.clamped(to: 0...RetryPolicy.longestRetryAfter),
            FeedPolicy.backoff(attempt: attempt, random: random.uniform(0...1))
        )
        attempt += 1
        let nextAt = redial(after: wait)
        guard primary == nil else { return showState() }
        move(to: .backoff(attempt: attempt, nextAt: nextAt, why: why))
    }

    private mutating func redial(after seconds: Double) -> Instant {
        let nextAt = now.advanced(bySeconds: seconds)
        redialAt = nextAt
        return nextAt
    }

    mutating func stop(_ why: FeedCause) {
        isStopped = true
        stoppedWhy = why
        redialAt = nil
        showState()
    }

    mutating func retrySwitch() {
        guard let primary, primary.isOpen, let token, token.generation > primary.generation
        else { return }
        follow(primary)
    }
}
