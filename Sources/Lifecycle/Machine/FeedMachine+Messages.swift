import Dialects
import Timekeeping

/// No loss, no duplicates, in order: while two sockets are open, what the new one says waits until
/// the old one has said what comes before.
extension FeedMachine {
    /// The most messages that wait for the old socket.
    static let heldLimit = 4096
    /// More are not counted.
    private static let gapLimit = 1_000_000

    mutating func received(_ number: Int, _ message: FeedMessage, key: String) {
        guard number > endedSocket else { return noteLeak(number) }
        guard token != nil else { return }
        heard(number)
        if let primary, primary.number == number, primary.isAbandoned { return }
        noteSeq(number, message.seq)
        let held = HeldMessage(socket: number, message: message, key: key)
        let isNewer = successor?.number == number || (retired != nil && primary?.number == number)
        if isNewer {
            holdOrApply(held)
        } else if primary?.number == number, lacksHistory {
            // The successor was asked for what came before.
            if successor == nil { askAgain() } else { holdOrApply(held) }
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

    /// A socket of a session that is over still receives: once is enough to say so, and what was
    /// under way at the time of the logout does not count.
    private mutating func noteLeak(_ number: Int) {
        guard let endedAt, now.seconds(since: endedAt) > FeedPolicy.drain,
            leaking.insert(number).inserted
        else { return }
        emit(.receivesAfterLogout(socket: number))
    }

    /// The first message after a break tells whether something is missing.
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

    /// Applies what waited and now follows without a gap.
    private mutating func releaseContiguous() {
        while let index = heldMessages.firstIndex(where: { isNext($0.message.seq) }) {
            let held = heldMessages.remove(at: index)
            if seen.contains(held.key) { overlapDuplicates += 1 } else { apply(held) }
        }
    }

    private func isNext(_ seq: Int64?) -> Bool {
        guard let seq, let lastApplied else { return false }
        return seq <= lastApplied || gap(before: seq) == 0
    }

    /// How many messages are missing between the last one applied and this one: a server's numbers
    /// may be any.
    private func gap(before seq: Int64) -> Int {
        guard let lastApplied, seq > lastApplied else { return 0 }
        let (distance, overflow) = seq.subtractingReportingOverflow(lastApplied)
        return overflow ? Self.gapLimit : min(Int(clamping: distance - 1), Self.gapLimit)
    }

    /// Applies what waited, in order.
    ///
    /// - Parameter isDue: Whether a number's turn has come; a message without one is always due.
    mutating func releaseHeld(where isDue: (Int64) -> Bool = { _ in true }) {
        let due = heldMessages.filter { $0.message.seq.map(isDue) ?? true }
        guard !due.isEmpty else { return }
        heldMessages.removeAll { $0.message.seq.map(isDue) ?? true }
        for held in due.sorted(by: { ($0.message.seq ?? 0) < ($1.message.seq ?? 0) }) {
            if seen.contains(held.key) { overlapDuplicates += 1 } else { apply(held) }
        }
    }

    /// Applies what waits for sockets that are gone, unless the next one is asked for what comes
    /// before it.
    mutating func releaseOrphans() {
        guard primary == nil, successor == nil, retired == nil,
            isStopped || !asksSince || lastApplied == nil
        else { return }
        releaseHeld()
    }

    /// Whether messages are missing before the first one of the socket in charge because it was
    /// dialled before there was anything to ask from.
    private var lacksHistory: Bool {
        guard asksSince, let primary, !primary.isResumed, let first = primary.firstSeq else {
            return false
        }
        return gap(before: first) > 0
    }

    // MARK: - The switch

    var promotionAt: Instant? {
        guard let successor, successor.isOpen, primary != nil else { return nil }
        return successor.openedAt.map { $0.advanced(bySeconds: FeedPolicy.promotion) }
    }

    /// The new socket is primary; the old one is read until it has caught up.
    mutating func promote() {
        guard let successor, successor.isOpen, let old = primary else { return }
        self.successor = nil
        primary = successor
        retired = old
        let hasNumbers = successor.firstSeq != nil || old.lastSeq != nil
        // One that was given up for its silence is told to close already, and ends by then.
        let isRead = hasNumbers || old.isClosing
        drainUntil = now.advanced(bySeconds: isRead ? FeedPolicy.drain : FeedPolicy.blindDrain)
        showState()
    }

    private var isDrained: Bool {
        guard let retired, !retired.isClosing, let first = primary?.firstSeq,
            let last = retired.lastSeq
        else { return false }
        return last >= first || first == last &+ 1
    }

    mutating func closeRetired() {
        guard let retired else {
            drainUntil = nil
            return releaseHeld()
        }
        guard !retired.isClosing else { return finishSwitch() }
        perform(.close(socket: retired.number, code: 1000))
        self.retired?.isClosing = true
        drainUntil = now.advanced(bySeconds: FeedPolicy.drain)
    }

    /// The old socket is gone: what still waits is applied, and the switch is told.
    mutating func finishSwitch() {
        guard let old = retired else { return }
        retired = nil
        drainUntil = nil
        guard !lacksHistory else {
            switchStartedAt = nil
            return askAgain()
        }
        let missedBefore = missed
        releaseWhatIsPassed()
        guard let primary, primary.isOpen else {
            switchStartedAt = nil
            return showState()
        }
        emit(
            .switched(
                from: old.number,
                to: primary.number,
                duplicates: overlapDuplicates,
                gap: missed - missedBefore,
                after: now - (switchStartedAt ?? now)
            )
        )
        switchStartedAt = nil
        showState()
        // Another rotation came while the switch was under way: straight to the newest.
        if let token, token.generation > primary.generation, primary.isOpen { redialAt = now }
    }

    /// What waits for a message that the socket in charge may yet bring goes on waiting, but not
    /// for long: a third socket may have said it, which is gone.
    private mutating func releaseWhatIsPassed() {
        let last = primary?.lastSeq ?? .min
        releaseHeld { $0 <= last }
        if !heldMessages.isEmpty { drainUntil = now.advanced(bySeconds: FeedPolicy.drain) }
    }
}
