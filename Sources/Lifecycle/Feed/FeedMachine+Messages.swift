import Dialects
import Timekeeping

/// Messages: each is applied once and, where they are numbered, in order.
///
/// While two sockets are open, the messages of the new one are held until the old one has delivered
/// those that precede them.
extension FeedMachine {
    /// The most messages that wait for the old socket.
    static let heldLimit = 4096

    /// The largest gap that is counted.
    private static let gapLimit = 1_000_000

    mutating func received(_ number: Int, _ message: FeedMessage, key: String) {
        guard number > endedSocket else { return noteLeak(number) }
        guard token != nil else { return }
        noteInbound(number)
        if let primary, primary.number == number, primary.isAbandoned { return }
        if message.isControl {
            emit(.control(socket: number, type: message.type, excerpt: message.excerpt))
            if successor?.number == number { promote() }
            return
        }
        noteSeq(number, message.seq)
        let held = HeldMessage(socket: number, message: message, key: key)
        let isNewer = successor?.number == number || (retired != nil && primary?.number == number)
        if lacksHistory(socket(number)), (successor ?? primary)?.isResumed == true {
            // The newest socket requested the earlier messages, and brings this one after them.
        } else if isNewer {
            holdOrApply(held)
        } else if primary?.number == number, lacksHistory(primary) {
            requestAgain()
        } else if primary?.number == number || retired?.number == number {
            let before = missed
            if let seq = message.seq { releaseHeld { $0 < seq } }
            apply(held)
            if primary?.number == number { noteReturn(number, gap: missed - before) }
        }
        if successor?.number == number { promote() }
        releaseContiguous()
        if isDrained { closeRetired() }
    }

    /// Emits the switch with the first message after a break, which shows whether any are missing.
    private mutating func noteReturn(_ number: Int, gap: Int) {
        guard let lost = lostSocket else { return }
        lostSocket = nil
        switchStartedAt = nil
        guard gap > 0 || following == .restart else { return }
        emit(
            .switched(
                from: lost.number,
                to: number,
                duplicates: 0,
                gap: gap,
                after: now - lost.at
            )
        )
    }

    private mutating func noteSeq(_ number: Int, _ seq: Int64?) {
        guard let seq else { return }
        for keyPath in [\FeedMachine.primary, \FeedMachine.successor, \FeedMachine.retired]
        where self[keyPath: keyPath]?.number == number {
            if self[keyPath: keyPath]?.firstSeq == nil { self[keyPath: keyPath]?.firstSeq = seq }
            self[keyPath: keyPath]?.lastSeq = seq
        }
    }

    private mutating func holdOrApply(_ held: HeldMessage) {
        if seen.contains(held.key) {
            overlapDuplicates += 1
        } else if isNext(held.message.seq) {
            apply(held)
        } else if heldMessages.count < Self.heldLimit {
            heldMessages.append(held)
        } else {
            releaseHeld()
            apply(held)
        }
    }

    private mutating func apply(_ held: HeldMessage) {
        guard seen.insert(held.key) else {
            if retired != nil || successor != nil {
                overlapDuplicates += 1
            } else {
                emit(event(held, isDuplicate: true))
            }
            return
        }
        if let seq = held.message.seq {
            missed += gap(before: seq)
            lastApplied = max(lastApplied ?? seq, seq)
        }
        if let id = held.message.wireID { lastID = id }
        emit(event(held, isDuplicate: false))
    }

    private func event(_ held: HeldMessage, isDuplicate: Bool) -> FeedEvent {
        .message(
            socket: held.socket,
            id: held.message.id,
            seq: held.message.seq,
            type: held.message.type,
            excerpt: held.message.excerpt,
            isDuplicate: isDuplicate
        )
    }

    // MARK: - Held messages

    /// Applies held messages, in order.
    ///
    /// - Parameter isDue: Whether the message with a number is applied; one without a number always
    ///   is.
    mutating func releaseHeld(where isDue: (Int64) -> Bool = { _ in true }) {
        let due = heldMessages.filter { $0.message.seq.map(isDue) ?? true }
        guard !due.isEmpty else { return }
        heldMessages.removeAll { $0.message.seq.map(isDue) ?? true }
        for held in due.sorted(by: { ($0.message.seq ?? 0) < ($1.message.seq ?? 0) }) {
            if seen.contains(held.key) { overlapDuplicates += 1 } else { apply(held) }
        }
    }

    /// Applies the held messages that now follow without a gap.
    private mutating func releaseContiguous() {
        while let index = heldMessages.firstIndex(where: { isNext($0.message.seq) }) {
            let held = heldMessages.remove(at: index)
            if seen.contains(held.key) { overlapDuplicates += 1 } else { apply(held) }
        }
    }

    /// Applies the messages that are held for ended sockets, unless the next one requests those that
    /// precede them.
    mutating func releaseOrphans() {
        guard primary == nil, successor == nil, retired == nil,
            isStopped || !asksSince || lastApplied == nil
        else { return }
        releaseHeld()
    }

    // MARK: - Gaps

    private func isNext(_ seq: Int64?) -> Bool {
        guard let seq, let lastApplied else { return false }
        return seq <= lastApplied || gap(before: seq) == 0
    }

    /// Returns the number of messages missing between the last one applied and `seq`, which may be
    /// any number.
    func gap(before seq: Int64) -> Int {
        guard let lastApplied, seq > lastApplied else { return 0 }
        let (distance, overflow) = seq.subtractingReportingOverflow(lastApplied)
        return overflow ? Self.gapLimit : min(Int(clamping: distance - 1), Self.gapLimit)
    }

    /// Whether messages are missing before the first one of a socket because there was no message to
    /// begin after when it was dialed.
    func lacksHistory(_ socket: FeedSocket?) -> Bool {
        guard asksSince, let socket, !socket.isResumed, let first = socket.firstSeq else {
            return false
        }
        return gap(before: first) > 0
    }
}

/// A message that arrived on the new socket before the old one had caught up.
struct HeldMessage: Sendable, Hashable {
    let socket: Int
    let message: FeedMessage
    let key: String
}

/// The keys of the last 4096 messages applied, of both sockets.
struct SeenMessages: Sendable {
    static let limit = 4096

    private var keys: Set<String> = []
    private var order: [String] = []
    private var oldest = 0

    /// Returns whether the key is new.
    mutating func insert(_ key: String) -> Bool {
        guard keys.insert(key).inserted else { return false }
        if order.count < Self.limit {
            order.append(key)
        } else {
            keys.remove(order[oldest])
            order[oldest] = key
            oldest = (oldest + 1) % Self.limit
        }
        return true
    }

    func contains(_ key: String) -> Bool {
        keys.contains(key)
    }
}
