import Basics
package import Model
package import Profiles

/// The feed's way to change to a new access token.
package enum FeedFollowing: Sendable, Hashable {
    /// Opens the new socket before it closes the old one.
    case overlap
    /// Closes the old socket before it opens the new one.
    case restart
    /// Keeps the old socket until the server closes it.
    case keep
    /// Sends the new token on the open socket.
    case message
}

/// The carrier of the feed's messages.
package enum FeedCarrier: Sendable, Hashable {
    /// It is pinged, and resumed after the last number or, without numbers, the last id.
    case webSocket
    /// It cannot be pinged, and is resumed after the last id; it is lost if nothing comes for this
    /// many seconds, `nil` for no limit.
    case eventStream(silenceLimit: Double?)
}

/// The decisions about the feed: when to dial, which socket is read, what a close means.
///
/// It is part of a `ClientMachine`, which passes the session's tokens to it and runs its effects.
/// There are at most two open sockets at a time. Each message is applied once and, if messages are
/// numbered, in order. No input of the feed ends the session.
struct FeedMachine: Sendable {
    var following: FeedFollowing
    private let canAskSince: Bool
    let carrier: FeedCarrier
    let script: FeedScript
    var random: SeededGenerator

    var state = FeedState.idle
    var ledger = FeedLedger()
    /// The socket whose messages are applied as they arrive.
    var primary: FeedSocket?
    /// The change to another socket, if one is in progress.
    var handover: FeedHandover?
    /// Sockets that are no longer waited for, and whose end is still to be reported.
    var ending: Set<Int> = []
    var lastSocket = 0

    var redial = FeedRedial.atOnce
    /// Dials that failed in a row.
    var attempt = 0
    /// The seconds to wait at least before a lost stream is opened again, as its server asks.
    var reconnectionTime = 0.0
    /// Whether the next dial begins with the present, because what came since fails each socket.
    var skipsHistory = false
    /// Whether no socket is read, because a reader of the events is behind.
    var isHeld = false
    /// When the last session ended, and its last socket.
    var ended: (at: Instant, socket: Int)?
    /// The sockets of ended sessions that have received a message since.
    var leaking: Set<Int> = []

    /// The second copies of messages since the last switch began.
    var overlapDuplicates = 0
    /// The messages without an id or a number on the socket that is being replaced.
    var copies = UnmatchedCopies()
    var heldMessages: [HeldMessage] = []
    /// Until when messages are held for a socket that has ended.
    var heldUntil: Instant?
    var seen = SeenMessages()
    var lastApplied: Int64?
    var lastID: String?
    var missed = 0
    /// Whether a message had the number that follows that of the one before.
    var numbersFollow = false
    /// The primary socket that ended without a successor, until the next one receives its first
    /// message.
    var lostSocket: (number: Int, at: Instant)?

    var now = Instant.origin
    var effects: [FeedEffect] = []

    init(
        following: FeedFollowing,
        asksSince: Bool,
        carrier: FeedCarrier = .webSocket,
        script: FeedScript = .silent,
        random: SeededGenerator
    ) {
        self.following = following
        canAskSince = asksSince
        self.carrier = carrier
        self.script = script
        self.random = random
    }

    /// The newest token of the session, or `nil` if it has none.
    var token: FeedToken? { ledger.newest }

    /// Whether a dial requests the messages after the last one applied.
    ///
    /// A stream whose events have no ids has nothing to be resumed after.
    var asksSince: Bool { canAskSince && (carrier == .webSocket || lastID != nil) }

    /// The socket whose messages are applied, or `nil` if it is not open.
    var openSocket: Int? {
        primary.flatMap { $0.isOpen ? $0.number : nil }
    }

    /// When a `tick` is due, or `nil` if no timer runs.
    var nextDeadline: Instant? {
        var earliest = redial.wait?.until
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            earliest = earliest.map { min($0, instant) } ?? instant
        }
        func considerTalk(on socket: FeedSocket?) {
            guard let socket, !socket.isClosing else { return }
            consider(socket.talk.deadline(isRead: !isHeld))
        }
        considerTalk(on: primary)
        considerTalk(on: successor)
        guard !isHeld else { return earliest }
        consider(heldUntil)
        consider(handover?.drainsUntil)
        consider(promotionAt)
        consider(primary?.nextCheck)
        consider(successor?.nextCheck)
        return earliest
    }

    /// Applies an input and returns the effects to run, in order.
    mutating func handle(_ input: FeedInput, at instant: Instant) -> [FeedEffect] {
        now = instant
        effects = []
        switch input {
        case .order(.token(let generation, let usableUntil)):
            tokenArrived(generation, usableUntil: usableUntil)
        case .order(.valuesChanged):
            guard awaitsValue else { break }
            redial = .atOnce
            dialAgain()
        case .order(.ended): end()
        case .tick: runDue()
        case .dialStarted(let socket, let target): dialStarted(socket, target: target)
        case .opened(let socket): opened(socket)
        case .refused(let refusal, let retryAfter): refused(refusal, retryAfter: retryAfter)
        case .failed(let socket, let why): failed(socket, why: why)
        case .closed(let socket, let code, let by, let reason):
            closed(socket, code: code, by: by, reason: reason)
        case .message(let socket, let message, let key): received(socket, message, key: key)
        case .pong(let socket, let traffic): pongReceived(socket, traffic)
        case .keepAlive(let socket): recordInbound(socket)
        case .position(let socket, let id): movePosition(socket, to: id)
        case .reconnectionTime(let socket, let seconds): wait(seconds, askedBy: socket)
        case .leave: shutDown()
        case .woke: checkAfterWake()
        case .held(let isHeld): hold(isHeld)
        case .dialNow: dialNow()
        }
        defer { effects = [] }
        return effects
    }

    mutating func runDue() {
        if let wait = redial.wait, wait.until <= now {
            redial = .atOnce
            dialAgain()
        }
        for socket in [primary, successor].compactMap(\.self) {
            converse(.tick(isRead: !isHeld), on: socket.number)
        }
        guard !isHeld else { return }
        if let promotionAt, promotionAt <= now { promote() }
        if let heldUntil, heldUntil <= now {
            self.heldUntil = nil
            releaseHeld()
        }
        if let until = handover?.drainsUntil, until <= now { closeRetired() }
        for socket in [primary, successor].compactMap(\.self) { checkLiveness(of: socket) }
    }

    /// The sockets that are waited for, of which at most two are open.
    var sockets: [FeedSocket] { [primary, successor, retired].compactMap(\.self) }

    /// Asked for each message, so that no list of them is made.
    func socket(_ number: Int) -> FeedSocket? {
        if primary?.number == number { return primary }
        if successor?.number == number { return successor }
        return retired?.number == number ? retired : nil
    }

    mutating func perform(_ operation: FeedOperation) {
        effects.append(.perform(operation))
    }

    mutating func emit(_ event: any FeedEvent) {
        effects.append(.emit(event))
    }

    mutating func move(to next: FeedState) {
        guard next != state else { return }
        state = next
        emit(FeedStateChanged(next))
    }

    /// Derives the state from the sockets, and emits it if it has changed.
    mutating func updateState() {
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
        guard token != nil else { return move(to: .idle) }
        switch redial {
        // A token that is over is not dialed with: the next one ends this state.
        case .atOnce: break
        case .waiting(let wait): move(to: wait.state)
        case .stopped(let why): move(to: .stopped(why: why))
        case .shutDown: move(to: .idle)
        }
    }
}

// MARK: - Inputs and effects

/// An input of the feed.
///
/// Inputs of a socket have its number: those of an unknown one are ignored.
package enum FeedInput: Sendable {
    /// An order of the session.
    case order(FeedOrder)
    /// `FeedMachine.nextDeadline` has passed.
    case tick
    /// A dial has begun; in `target`, the token is replaced by its fingerprint.
    case dialStarted(socket: Int, target: String)
    case opened(socket: Int)
    /// The server wants no other dial for `retryAfter` seconds, if it says so.
    case refused(FeedRefused, retryAfter: Double?)
    case failed(socket: Int, why: FeedCause)
    case closed(socket: Int, code: Int, by: FeedCloser, reason: String)
    case message(socket: Int, FeedMessage, key: String)
    /// `traffic`: what has come compressed so far, if messages are.
    case pong(socket: Int, traffic: FeedTraffic? = nil)
    /// A comment of an event stream.
    case keepAlive(socket: Int)
    /// The id after which an event stream is to be resumed, without an event; `nil` for none.
    case position(socket: Int, id: String?)
    /// The server of an event stream asks for this many seconds before it is opened again.
    case reconnectionTime(socket: Int, seconds: Double)
    /// The program shuts down: messages are applied until the peer has closed too.
    case leave
    /// The computer was asleep: open sockets may have been lost.
    case woke
    /// From now on no socket is read, or all are again.
    case held(Bool)
    /// The user wants a feed that waits, or has stopped, to be dialed at once.
    case dialNow
}

/// An operation of the shell for the feed, whose outcome is reported as a `FeedInput`.
package enum FeedOperation: Sendable {
    /// Opens a socket with the token of a generation; reported by `opened`, `refused` or `failed`.
    case dial(socket: Int, generation: Int, since: String?)
    /// Closes with the handshake, or cancels a dial; reported by `closed`.
    case close(socket: Int, code: Int)
    case ping(socket: Int)
    /// Ends the connection without a close frame; reported by `closed`.
    case cut(socket: Int)
    /// Sends messages of the profile's script on the open socket, in order; one with a token only if it
    /// is that of the generation.
    case say(socket: Int, [FeedSaying], generation: Int)
}

/// An effect of a decision about the feed.
enum FeedEffect: Sendable {
    case perform(FeedOperation)
    /// The backend refused the newest token.
    case tokenRejected(generation: Int)
    case emit(any FeedEvent)
}
