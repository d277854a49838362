import Dialects
package import Timekeeping

/// How the feed follows a rotation.
package enum FeedFollowing: Sendable, Hashable {
    /// Make before break: two sockets for a moment.
    case overlap
    /// Break before make.
    case restart
    /// The old socket stays until the server closes it.
    case keep
    /// The open socket is told of the new token.
    case message
}

/// The feed's decisions: when to dial, which socket counts, what a close means.
///
/// Sans-IO like `SessionMachine`.
///
/// At most two sockets exist; what arrives is applied once and, where messages are numbered, in
/// order; nothing that happens here ends the session.
package struct FeedMachine: Sendable {
    var following: FeedFollowing
    let asksSince: Bool
    var random: SeededGenerator

    package internal(set) var state = FeedState.idle
    /// The newest token the session has.
    var wanted: (generation: Int, usableUntil: Instant?)?
    /// The one whose messages count.
    var primary: FeedSocket?
    /// The one that is to take over.
    var successor: FeedSocket?
    /// The one that was taken over from, until it is closed.
    var retired: FeedSocket?
    var lastSocket = 0

    var redialAt: Instant?
    var attempt = 0
    var refusals = 0
    /// A renewal was asked for because this generation was refused.
    var forcedGeneration: Int?
    var isRefused = false
    var isStopped = false
    var endedAt: Instant?

    var switchStartedAt: Instant?
    var drainUntil: Instant?
    var overlapDuplicates = 0
    var heldMessages: [HeldMessage] = []
    var seen = SeenMessages()
    var lastApplied: Int64?
    var lastID: String?
    var missed = 0

    var now = Instant.origin
    var effects: [FeedEffect] = []

    package init(following: FeedFollowing, asksSince: Bool, random: SeededGenerator) {
        self.following = following
        self.asksSince = asksSince
        self.random = random
    }

    package var nextDeadline: Instant? {
        [
            redialAt, drainUntil, promotionAt, primary?.nextCheck, successor?.nextCheck,
        ]
        .compactMap { $0 }.min()
    }

    package mutating func handle(_ input: FeedInput, at instant: Instant) -> [FeedEffect] {
        now = instant
        effects = []
        switch input {
        case .order(.token(let generation, let usableUntil)):
            tokenArrived(generation, usableUntil: usableUntil)
        case .order(.ended): end()
        case .tick: runDue()
        case .dialStarted(let socket, let target): noteDial(socket, target: target)
        case .opened(let socket): opened(socket)
        case .refused(let socket, let status, let retryAfter):
            refused(socket, status: status, retryAfter: retryAfter)
        case .failed(let socket, let words): failed(socket, words: words)
        case .closed(let socket, let code, let by, let reason):
            closed(socket, code: code, by: by, reason: reason)
        case .message(let socket, let message, let key): received(socket, message, key: key)
        case .pong(let socket): ponged(socket)
        case .leave: leave()
        case .woke: checkAfterWake()
        }
        defer { effects = [] }
        return effects
    }

    mutating func emit(_ event: FeedEvent) {
        effects.append(.emit(event))
    }

    mutating func move(to next: FeedState) {
        guard next != state else { return }
        state = next
        emit(.stateChanged(next))
    }

    /// Names what the sockets amount to.
    mutating func showState() {
        if let primary, let openedAt = primary.openedAt {
            if let successor {
                return move(
                    to: .rotating(
                        old: primary.number,
                        new: successor.number,
                        generation: successor.generation
                    )
                )
            }
            return move(
                to: .open(
                    socket: primary.number,
                    generation: primary.generation,
                    since: openedAt
                )
            )
        }
        if let primary {
            return move(to: .dialing(socket: primary.number, generation: primary.generation))
        }
        if wanted == nil { move(to: .idle) }
    }
}

// MARK: - Dialling

extension FeedMachine {
    private mutating func tokenArrived(_ generation: Int, usableUntil: Instant?) {
        let isFirst = wanted == nil
        wanted = (generation, usableUntil)
        if isFirst {
            endedAt = nil
            isStopped = false
            isRefused = false
            attempt = 0
            refusals = 0
            forcedGeneration = nil
            seen = SeenMessages()
            lastApplied = nil
            lastID = nil
        }
        guard !isStopped else { return }
        guard let primary else {
            redialAt = nil
            return dial()
        }
        guard primary.isOpen, generation > primary.generation else { return }
        follow(primary)
    }

    private mutating func follow(_ primary: FeedSocket) {
        switch following {
        case .keep: return
        case .restart:
            effects.append(.close(socket: primary.number, code: 1000))
            self.primary?.isClosing = true
        case .message:
            guard let wanted else { return }
            self.primary?.generation = wanted.generation
            effects.append(
                .reauthenticate(socket: primary.number, generation: wanted.generation)
            )
            showState()
        case .overlap:
            guard successor == nil, retired == nil else { return }
            switchStartedAt = now
            overlapDuplicates = 0
            successor = startDial()
            showState()
        }
    }

    mutating func dial() {
        guard wanted != nil, primary == nil, !isStopped else { return }
        guard let socket = startDial() else { return }
        primary = socket
        showState()
    }

    private mutating func startDial() -> FeedSocket? {
        guard let wanted else { return nil }
        // A dead token is not dialled with: the session brings the next one.
        if let until = wanted.usableUntil, now >= until { return nil }
        lastSocket += 1
        redialAt = nil
        effects.append(
            .dial(
                socket: lastSocket,
                generation: wanted.generation,
                since: asksSince ? (lastApplied.map(String.init) ?? lastID) : nil
            )
        )
        return FeedSocket(number: lastSocket, generation: wanted.generation, dialledAt: now)
    }

    private mutating func noteDial(_ number: Int, target: String) {
        guard let socket = socket(number) else { return }
        emit(.dialing(socket: number, generation: socket.generation, target: target))
    }

    private func socket(_ number: Int) -> FeedSocket? {
        [primary, successor, retired].compactMap { $0 }.first { $0.number == number }
    }

    private mutating func opened(_ number: Int) {
        guard let socket = socket(number) else {
            return effects.append(.close(socket: number, code: 1000))
        }
        emit(
            .opened(
                socket: number,
                generation: socket.generation,
                after: now - socket.dialledAt
            )
        )
        isRefused = false
        refusals = 0
        if successor?.number == number {
            successor?.openedAt = now
        } else if primary?.number == number {
            primary?.openedAt = now
            if let wanted, wanted.generation > socket.generation, let primary { follow(primary) }
        }
        showState()
    }

    private mutating func refused(_ number: Int, status: Int, retryAfter: Double?) {
        guard let socket = socket(number) else { return }
        emit(.refused(socket: number, status: status))
        drop(number)
        switch FeedPolicy.verdict(status: status) {
        case .tokenRejected: rejected(socket, status: status)
        case .stop(let why): stop(why)
        case .backoff, .oneSocketOnly:
            backOff(atLeast: retryAfter ?? 0, why: "upgrade answered \(status)")
        }
    }

    /// The backend refused a token of ours: an old one, or one that must be renewed, or both.
    private mutating func rejected(_ socket: FeedSocket, status: Int) {
        guard let wanted else { return }
        if wanted.generation > socket.generation {
            return primary == nil ? dial() : retrySwitch()
        }
        if !isRefused, forcedGeneration.map({ $0 < socket.generation - 1 }) ?? true {
            forcedGeneration = socket.generation
            effects.append(.tokenRejected(generation: socket.generation))
            guard primary == nil else { return }
            let nextAt = now.advanced(bySeconds: FeedPolicy.refusedWaits[0])
            redialAt = nextAt
            return move(to: .backoff(attempt: attempt, nextAt: nextAt, why: "waits for a renewal"))
        }
        isRefused = true
        let wait = FeedPolicy.refusedWaits[min(refusals, FeedPolicy.refusedWaits.count - 1)]
        refusals += 1
        guard primary == nil else { return }
        let nextAt = now.advanced(bySeconds: wait)
        redialAt = nextAt
        move(to: .refused(status: status, nextAt: nextAt))
    }

    private mutating func failed(_ number: Int, words: String) {
        guard socket(number) != nil else { return }
        emit(.failed(socket: number, words: words))
        drop(number)
        backOff(atLeast: 0, why: words)
    }

    /// The dial is over and brought nothing; the other socket stays.
    private mutating func drop(_ number: Int) {
        if successor?.number == number {
            successor = nil
            switchStartedAt = nil
            releaseHeld()
        }
        if primary?.number == number { primary = nil }
        if retired?.number == number { retired = nil }
    }

    private mutating func backOff(atLeast: Double, why: String) {
        guard wanted != nil, !isStopped else { return showState() }
        let wait = max(
            atLeast,
            FeedPolicy.backoff(attempt: attempt, random: random.uniform(0...1))
        )
        attempt += 1
        let nextAt = now.advanced(bySeconds: wait)
        redialAt = nextAt
        guard primary == nil else { return showState() }
        move(to: .backoff(attempt: attempt, nextAt: nextAt, why: why))
    }

    private mutating func stop(_ why: String) {
        isStopped = true
        redialAt = nil
        guard primary == nil else { return showState() }
        move(to: .stopped(why: why))
    }

    private mutating func retrySwitch() {
        guard let primary, primary.isOpen, let wanted, wanted.generation > primary.generation
        else { return }
        follow(primary)
    }
}

// MARK: - Ends

extension FeedMachine {
    private mutating func closed(_ number: Int, code: Int, by: FeedCloser, reason: String) {
        guard let socket = socket(number) else { return }
        emit(.closed(socket: number, code: code, by: by, reason: reason))
        defer { if primary == nil, successor == nil, retired == nil { releaseHeld() } }
        if retired?.number == number { return finishSwitch() }
        if successor?.number == number {
            drop(number)
            return after(socket, code: code, by: by)
        }
        primary = nil
        if let successor, successor.isOpen {
            // The old socket ended first: the new one takes over where it stands.
            retired = socket
            self.successor = nil
            self.primary = successor
            return finishSwitch()
        }
        after(socket, code: code, by: by)
    }

    private mutating func after(_ socket: FeedSocket, code: Int, by: FeedCloser) {
        guard let wanted else { return showState() }
        if by == .us, code == 1000 {
            dial()
            return showState()
        }
        if let openedAt = socket.openedAt, now.seconds(since: openedAt) >= FeedPolicy.stable {
            attempt = 0
        }
        if wanted.generation > socket.generation, primary == nil, successor == nil {
            // The server closed the socket of an old token: the new one is dialled at once.
            return dial()
        }
        switch FeedPolicy.verdict(code: code) {
        case .tokenRejected: rejected(socket, status: code)
        case .stop(let why): stop(why)
        case .backoff(let atLeast): backOff(atLeast: atLeast, why: "closed with \(code)")
        case .oneSocketOnly:
            if now.seconds(since: socket.dialledAt) <= FeedPolicy.oneSocketWindow {
                following = .restart
            }
            backOff(atLeast: 0, why: "closed with \(code)")
        }
    }

    private mutating func leave() {
        isStopped = true
        redialAt = nil
        for socket in [primary, successor, retired].compactMap({ $0 }) where !socket.isClosing {
            effects.append(.close(socket: socket.number, code: 1000))
        }
        primary?.isClosing = true
        successor?.isClosing = true
        retired?.isClosing = true
    }

    private mutating func end() {
        wanted = nil
        redialAt = nil
        drainUntil = nil
        heldMessages = []
        endedAt = now
        for socket in [primary, successor, retired].compactMap({ $0 }) where !socket.isClosing {
            effects.append(.close(socket: socket.number, code: 1000))
            emit(.closed(socket: socket.number, code: 1000, by: .us, reason: ""))
        }
        primary = nil
        successor = nil
        retired = nil
        move(to: .idle)
    }
}

// MARK: - Time

extension FeedMachine {
    private mutating func runDue() {
        if let redialAt, redialAt <= now {
            self.redialAt = nil
            if primary == nil { dial() } else { retrySwitch() }
        }
        if let promotionAt, promotionAt <= now { promote() }
        if let drainUntil, drainUntil <= now { closeRetired() }
        let (first, second) = (primary, successor)
        primary = checked(first)
        successor = checked(second)
    }

    /// Asks a silent socket, and gives up one that does not answer.
    private mutating func checked(_ socket: FeedSocket?) -> FeedSocket? {
        guard var socket, let check = socket.nextCheck, check <= now else { return socket }
        if socket.pingedAt == nil {
            socket.pingedAt = now
            socket.pongLimit = FeedPolicy.pongLimit
            effects.append(.ping(socket: socket.number))
            return socket
        }
        effects.append(.close(socket: socket.number, code: 1001))
        socket.isClosing = true
        return socket
    }

    private mutating func checkAfterWake() {
        for keyPath in [\FeedMachine.primary, \FeedMachine.successor] {
            guard let socket = self[keyPath: keyPath], socket.isOpen else { continue }
            var asked = socket
            asked.pingedAt = now
            asked.pongLimit = FeedPolicy.pongLimitAfterWake
            self[keyPath: keyPath] = asked
            effects.append(.ping(socket: socket.number))
        }
    }

    private mutating func ponged(_ number: Int) {
        guard let pingedAt = socket(number)?.pingedAt else { return }
        emit(.ping(socket: number, roundTrip: now - pingedAt))
        heard(number)
    }

    /// Any inbound frame proves the socket alive.
    mutating func heard(_ number: Int) {
        if primary?.number == number {
            primary?.lastInboundAt = now
            primary?.pingedAt = nil
        }
        if successor?.number == number {
            successor?.lastInboundAt = now
            successor?.pingedAt = nil
        }
    }
}
