import Basics
import Model
import Profiles

/// Messages: each is applied once and, where they are numbered, in order.
///
/// While two sockets are open, the messages of the new one are held until the old one has delivered
/// those that precede them.
extension FeedMachine {
    /// The most messages that wait for the old socket.
    static let heldLimit = 4096

    mutating func received(_ number: Int, _ message: FeedMessage, key: String) {
        guard number > ended?.socket ?? 0 else { return recordLeak(number) }
        guard token != nil else { return }
        recordInbound(number, isMessage: true)
        if let primary, primary.number == number, primary.isAbandoned { return }
        if message.isControl {
            emit(FeedControlReceived(socket: number, type: message.type, excerpt: message.excerpt))
            if successor?.number == number { promote() }
            let words = message.excerpt.inOneLine(limit: 200)
            return converse(.met(message.meets), on: number, words: words)
        }
        let held = HeldMessage(socket: number, message: message, key: key)
        recordRestart(held)
        recordSeq(number, message.seq)
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
            recordMissing(held)
            apply(held)
            if primary?.number == number { recordReturn(number, gap: missed - before) }
        }
        if successor?.number == number { promote() }
        releaseContiguous()
        if isDrained { closeRetired() }
    }

    /// Emits the switch with the first message after a break, which shows whether any are missing.
    private mutating func recordReturn(_ number: Int, gap: Int) {
        guard let lost = lostSocket else { return }
        lostSocket = nil
        guard gap > 0 || following == .restart else { return }
        emit(
            FeedSwitched(
                from: lost.number,
                to: number,
                duplicates: 0,
                gap: gap,
                after: now - lost.at
            )
        )
    }

    /// Emits that messages are missing within a socket that is the only one.
    ///
    /// A gap after a break, or during a switch, is a part of the switch. Numbers that have never
    /// followed each other count something else.
    private mutating func recordMissing(_ held: HeldMessage) {
        guard let seq = held.message.seq, let lastApplied, numbersFollow, lostSocket == nil,
            handover == nil, primary?.number == held.socket,
            gap(before: seq) > 0, seen.entry(of: held.key) == nil
        else { return }
        emit(FeedMessagesMissing(socket: held.socket, after: lastApplied, before: seq))
    }

    private mutating func recordSeq(_ number: Int, _ seq: Int64?) {
        guard let seq else { return }
        change(number) { socket in
            if socket.firstSeq == nil { socket.firstSeq = seq }
            socket.lastSeq = seq
        }
    }

    /// Forgets the messages of a server that counts from the beginning again.
    ///
    /// Only the first number of a socket shows it, while no other socket is open: it was passed
    /// before, and the message is another one than that which had it then.
    private mutating func recordRestart(_ held: HeldMessage) {
        guard let seq = held.message.seq, let lastApplied, seq <= lastApplied,
            let primary, primary.number == held.socket, primary.firstSeq == nil,
            handover == nil
        else { return }
        let isOther =
            seen.entry(of: held.key).map { $0.mark != held.mark }
            // One from the beginning that is no longer remembered.
            ?? (seq <= 1 && lastApplied > Int64(SeenMessages.limit))
        guard isOther else { return }
        seen = SeenMessages()
        self.lastApplied = nil
        numbersFollow = false
        heldMessages = []
    }

    private mutating func holdOrApply(_ held: HeldMessage) {
        if held.isIdentified, let entry = seen.entry(of: held.key) {
            recordRepetition(held, of: entry)
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
        if held.isIdentified {
            if let entry = seen.entry(of: held.key) { return recordRepetition(held, of: entry) }
            seen.insert(held)
        } else if isOld(held.socket) {
            copies.insert(held.key)
        } else if copies.take(held.key, at: now) {
            overlapDuplicates += 1
            return
        }
        if let seq = held.message.seq {
            missed += gap(before: seq)
            if let lastApplied, seq == lastApplied &+ 1 { numbersFollow = true }
            lastApplied = max(lastApplied ?? seq, seq)
        }
        if let id = held.message.wireID { lastID = id }
        change(held.socket) { $0.hasCarried = true }
        emit(event(held, isDuplicate: false))
    }

    /// Notes that a stream is to be resumed after another id than that of its last event.
    mutating func movePosition(_ number: Int, to id: String?) {
        recordInbound(number)
        guard token != nil, primary?.number == number else { return }
        lastID = id
    }

    /// Whether a socket is being replaced.
    private func isOld(_ number: Int) -> Bool {
        retired?.number == number || (successor != nil && primary?.number == number)
    }

    /// Counts the second copy of a message, which is the server's doing unless two sockets that
    /// were open at the same time brought one each.
    private mutating func recordRepetition(_ held: HeldMessage, of entry: SeenMessages.Entry) {
        let isOfTwoSockets =
            entry.socket != held.socket
            && (socket(entry.socket) != nil
                || socket(held.socket)?.predecessor == entry.socket)
        if isOfTwoSockets {
            overlapDuplicates += 1
        } else {
            emit(event(held, isDuplicate: true))
        }
    }

    private func event(_ held: HeldMessage, isDuplicate: Bool) -> FeedMessageReceived {
        FeedMessageReceived(
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
            apply(held)
        }
    }

    /// Applies the held messages that now follow without a gap.
    private mutating func releaseContiguous() {
        while let index = heldMessages.firstIndex(where: { isNext($0.message.seq) }) {
            let held = heldMessages.remove(at: index)
            apply(held)
        }
    }

    /// Applies the messages that are held for ended sockets, unless the next one requests those that
    /// precede them.
    mutating func releaseOrphans() {
        guard primary == nil, handover == nil,
            redial.isStopped || !asksSince || lastApplied == nil
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
        lastApplied.map { FeedGap.count(after: $0, before: seq) } ?? 0
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
