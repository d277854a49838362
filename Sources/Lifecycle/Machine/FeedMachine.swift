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
/// Part of a `ClientMachine`, which gives it the session's tokens and hands on what it wants done.
///
/// At most two sockets exist; what arrives is applied once and, where messages are numbered, in
/// order; nothing that happens here ends the session.
package struct FeedMachine: Sendable {
    var following: FeedFollowing
    let asksSince: Bool
    var random: SeededGenerator

    package internal(set) var state = FeedState.idle
    var ledger = FeedLedger()
    /// The one whose messages count.
    var primary: FeedSocket?
    /// The one that is to take over.
    var successor: FeedSocket?
    /// The one that was taken over from, until it is closed.
    var retired: FeedSocket?
    var lastSocket = 0

    var redialAt: Instant?
    var attempt = 0
    /// Nothing is waited for but the token of the renewal that a refusal led to.
    var awaitsToken = false
    var isStopped = false
    /// Why dialling would not help; nil when the program itself is leaving.
    var stoppedWhy: FeedCause?
    var endedAt: Instant?
    /// The last socket of the session that ended last.
    var endedSocket = 0
    /// Sockets of ended sessions that were seen to receive.
    var leaking: Set<Int> = []

    var switchStartedAt: Instant?
    var drainUntil: Instant?
    var overlapDuplicates = 0
    var heldMessages: [HeldMessage] = []
    var seen = SeenMessages()
    var lastApplied: Int64?
    var lastID: String?
    var missed = 0
    /// The primary socket that ended without a successor, until the next one has its first message.
    var lostSocket: (number: Int, at: Instant)?

    var now = Instant.origin
    var effects: [FeedEffect] = []

    package init(following: FeedFollowing, asksSince: Bool, random: SeededGenerator) {
        self.following = following
        self.asksSince = asksSince
        self.random = random
    }

    /// The newest token of the session, or `nil` if it has none.
    package var token: FeedToken? { ledger.newest }

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
        case .failed(let socket, let why): failed(socket, why: why)
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

    mutating func perform(_ operation: FeedOperation) {
        effects.append(.perform(operation))
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
        if isStopped, let stoppedWhy { return move(to: .stopped(why: stoppedWhy)) }
        if isStopped || token == nil { move(to: .idle) }
    }
}
