import Basics
import Client
import Model
import Profiles
import Simulation

/// 24: every message is applied once and in order; there are at most two sockets, and the old one
/// is closed within 2 s of the switch.
///
/// It is checked with numbered messages: if a client requests the messages after the last one, the
/// numbers that it applies have no gap, regardless of faults.
struct FeedExactnessCheck {
    /// A socket as the client has it, until its end.
    fileprivate struct Socket {
        let number: Int
        var openedAt: Instant?
        /// When its first message arrived.
        var firstAt: Instant?
        var closeRequestedAt: Instant?

        /// Whether the socket exists: one that is closing ends soon, regardless of its peer.
        func exists(at now: Instant) -> Bool {
            guard let closeRequestedAt else { return true }
            return now.seconds(since: closeRequestedAt) < FeedExactnessCheck.closing
        }
    }

    /// The messages that one process has applied, and those that it still holds.
    fileprivate struct Reader {
        var family: String?
        var sockets: [Socket] = []
        var last: Int64?
        /// The oldest message that arrived and was not applied so far.
        var arrived: (seq: Int64, at: Instant)?
        var mayMiss = false
        var isStopped = false
        var wokeAt = Instant.origin
    }

    /// The time after which a new socket without a message becomes the primary one, in seconds.
    private static let promotion = 1.0
    /// The time that the old one may stay open after that.
    private static let overlap = 2.0
    /// The longest time from the request to close a socket to its end.
    fileprivate static let closing = 2.0
    /// The longest time that a message is held for an older socket: 20 s of silence, 10 s for a
    /// pong, and the time to open the next socket.
    private static let longestHold = 60.0

    /// Whether nothing may be missing.
    private let isExact: Bool
    private var readers = PerProcess<Reader>()
    private(set) var applied = 0

    init(scenario: Scenario) {
        guard let served = scenario.feed.served else {
            isExact = false
            return
        }
        // Messages that are not requested again are lost with a broken socket, or one that is
        // closed before the next is open.
        let isUnbroken = scenario.kind == .healthy || scenario.kind == .clocks
        isExact = served.asksSince || isUnbroken && served.following == .overlap
    }

    mutating func died(_ process: Int) {
        readers[process] = nil
    }

    mutating func woke(_ process: Int, _ now: Instant) {
        readers[process]?.wokeAt = now
    }

    /// The server no longer has everything that came since.
    mutating func mayMiss(_ process: Int) {
        readers[process]?.mayMiss = true
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        guard var reader = readers.take(step.process) ?? newReader(step) else { return nil }
        defer { readers[step.process] = reader }
        register(step.input, step, &reader)
        for effect in step.effects {
            let finding: InvariantViolation.Finding? =
                switch effect {
                case .feed(let operation): perform(operation, step, &reader)
                case .emit(let event):
                    if let feed = event.kind as? any FeedEvent {
                        hear(feed, step, &reader)
                    } else {
                        nil
                    }
                default: nil
                }
            if let finding { return finding }
        }
        return changedSession(step, &reader) ?? switched(step, reader) ?? waits(step, reader)
    }

    private func newReader(_ step: Step) -> Reader? {
        step.after.feedToken == nil ? nil : Reader(family: step.after.held?.family)
    }

    // MARK: - What arrives

    private func register(_ input: SessionInput, _ step: Step, _ reader: inout Reader) {
        guard case .feed(let input) = input else { return }
        switch input {
        case .opened(let number): reader.change(number) { $0.openedAt = step.now }
        case .refused(let refusal, _): reader.sockets.removeAll { $0.number == refusal.socket }
        case .failed(let number, _), .closed(let number, _, _, _):
            reader.sockets.removeAll { $0.number == number }
        case .message(let number, let message, _):
            guard let seq = message.seq, reader.has(number) else { return }
            reader.change(number) { $0.firstAt = $0.firstAt ?? step.now }
            guard reader.last.map({ seq > $0 }) ?? true, reader.arrived == nil else { return }
            reader.arrived = (seq, step.now)
        case .order, .tick, .dialStarted, .pong, .keepAlive, .position,
            .reconnectionTime, .leave, .woke, .held, .dialNow:
            break
        }
    }

    // MARK: - What is done

    private func perform(
        _ operation: FeedOperation,
        _ step: Step,
        _ reader: inout Reader
    ) -> InvariantViolation.Finding? {
        switch operation {
        case .dial(let number, _, _):
            reader.isStopped = false
            reader.sockets.append(Socket(number: number))
            let isNew = step.before.held?.family != step.after.held?.family
            let count = reader.sockets.count { socket in
                isNew ? socket.closeRequestedAt == nil : socket.exists(at: step.now)
            }
            guard count > 2 else { return nil }
            return InvariantViolation.Finding(.feedExactness, "there are \(count) sockets")
        case .close(let number, _):
            reader.change(number) { $0.closeRequestedAt = $0.closeRequestedAt ?? step.now }
        case .cut, .ping, .say: break
        }
        return nil
    }

    private mutating func hear(
        _ event: any FeedEvent,
        _ step: Step,
        _ reader: inout Reader
    ) -> InvariantViolation.Finding? {
        if case .stopped? = (event as? FeedStateChanged)?.state {
            reader.isStopped = true
        } else if let message = event as? FeedMessageReceived, let seq = message.seq,
            !message.isDuplicate
        {
            applied += 1
            defer { reader.last = max(reader.last ?? seq, seq) }
            if let arrived = reader.arrived, arrived.seq <= seq { reader.arrived = nil }
            guard step.after.feedToken != nil else {
                return InvariantViolation.Finding(
                    .noResurrection,
                    "a message is applied though the session has ended"
                )
            }
            guard let last = reader.last else { return nil }
            guard seq > last else {
                return InvariantViolation.Finding(
                    .feedExactness,
                    "message \(seq) is applied after \(last)"
                )
            }
            guard isExact, seq > last + 1, !reader.mayMiss else { return nil }
            return InvariantViolation.Finding(
                .feedExactness,
                "message \(seq) is applied, and those since \(last) are missing"
            )
        }
        return nil
    }

    // MARK: - What must follow

    /// Nothing of a session outlives it, and the next one begins from zero.
    private func changedSession(
        _ step: Step,
        _ reader: inout Reader
    ) -> InvariantViolation.Finding? {
        let family = step.after.feedToken == nil ? nil : step.after.held?.family
        guard reader.family != family else { return nil }
        defer {
            reader.family = family
            reader.last = nil
            reader.arrived = nil
            reader.mayMiss = false
            reader.sockets.removeAll { $0.closeRequestedAt != nil }
        }
        guard reader.family != nil else { return nil }
        let isLeft = reader.sockets.contains { socket in
            socket.closeRequestedAt == nil && !step.dials(socket.number)
        }
        guard isLeft else { return nil }
        return InvariantViolation.Finding(
            .noResurrection,
            "a socket of an ended session stays open"
        )
    }

    private func switched(_ step: Step, _ reader: Reader) -> InvariantViolation.Finding? {
        guard reader.sockets.count > 1 else { return nil }
        let open = reader.sockets.filter { $0.openedAt != nil && $0.closeRequestedAt == nil }
        guard open.count > 1, let newest = open.last, let openedAt = newest.openedAt else {
            return nil
        }
        let promoted = openedAt.advanced(bySeconds: Self.promotion)
        let switchedAt = max(min(promoted, newest.firstAt ?? promoted), reader.wokeAt)
        let seconds = step.now.seconds(since: switchedAt)
        guard seconds > Self.overlap else { return nil }
        return InvariantViolation.Finding(
            .feedExactness,
            "the old socket is open \(ElapsedFormatter.text(seconds)) after the switch"
        )
    }

    private func waits(_ step: Step, _ reader: Reader) -> InvariantViolation.Finding? {
        guard let arrived = reader.arrived else { return nil }
        let seconds = step.now.seconds(since: max(arrived.at, reader.wokeAt))
        guard seconds > Self.longestHold else { return nil }
        return InvariantViolation.Finding(
            .feedExactness,
            "message \(arrived.seq) arrived, and is not applied after "
                + ElapsedFormatter.text(seconds)
        )
    }

    /// Checks that a feed with a valid token is open, or about to dial, unless dialing cannot help.
    func rests(_ step: Step) -> InvariantViolation.Finding? {
        guard let token = step.after.feedToken, step.after.feedDeadline == nil,
            let reader = readers[step.process], !reader.isStopped,
            // The end of an open socket is still reported; a canceled dial has none.
            !reader.sockets.contains(where: { $0.closeRequestedAt == nil || $0.openedAt != nil }),
            token.usableUntil.map({ step.now < $0 }) ?? true
        else { return nil }
        return InvariantViolation.Finding(.feedExactness, "the feed waits for nothing")
    }
}

extension FeedExactnessCheck.Reader {
    fileprivate func has(_ number: Int) -> Bool {
        sockets.contains { $0.number == number }
    }

    fileprivate mutating func change(
        _ number: Int,
        _ change: (inout FeedExactnessCheck.Socket) -> Void
    ) {
        guard let index = sockets.firstIndex(where: { $0.number == number }) else { return }
        change(&sockets[index])
    }
}

extension Step {
    /// Whether this step is the one that dials the socket.
    fileprivate func dials(_ number: Int) -> Bool {
        effects.contains { effect in
            if case .feed(.dial(number, _, _)) = effect { true } else { false }
        }
    }
}
