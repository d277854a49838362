import Dialects
import Timekeeping

/// No loss, no duplicates, in order: while two sockets are open, what the new one says waits until
/// the old one has said what comes before.
extension FeedMachine {
    /// The most messages that wait for the old socket.
    static let heldLimit = 4096

    mutating func received(_ number: Int, _ message: FeedMessage, key: String) {
        guard wanted != nil else {
            if let endedAt, now.seconds(since: endedAt) > FeedPolicy.drain {
                emit(.receivesAfterLogout(socket: number))
            }
            return
        }
        heard(number)
        noteSeq(number, message.seq)
        let isNewer = successor?.number == number || (retired != nil && primary?.number == number)
        if isNewer {
            holdOrApply(HeldMessage(socket: number, message: message, key: key))
        } else if primary?.number == number || retired?.number == number {
            apply(HeldMessage(socket: number, message: message, key: key))
        }
        if successor?.number == number { promote() }
        releaseContiguous()
        if isDrained { closeRetired() }
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
        } else if let seq = held.message.seq, let lastApplied, seq <= lastApplied + 1 {
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
            if let lastApplied, seq > lastApplied + 1 {
                missed += Int(clamping: seq - lastApplied - 1)
            }
            lastApplied = max(lastApplied ?? seq, seq)
        }
        if let id = held.message.id { lastID = id }
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
        return seq <= lastApplied + 1
    }

    /// Applies everything that waited, in order.
    mutating func releaseHeld() {
        let waiting = heldMessages.sorted { ($0.message.seq ?? 0) < ($1.message.seq ?? 0) }
        heldMessages = []
        for held in waiting {
            if seen.contains(held.key) { overlapDuplicates += 1 } else { apply(held) }
        }
    }

    // MARK: - The switch

    var promotionAt: Instant? {
        successor?.openedAt.map { $0.advanced(bySeconds: FeedPolicy.promotion) }
    }

    /// The new socket is primary; the old one is read until it has caught up.
    mutating func promote() {
        guard let successor, successor.isOpen, let old = primary else { return }
        self.successor = nil
        primary = successor
        retired = old
        let hasNumbers = successor.firstSeq != nil || old.lastSeq != nil
        drainUntil = now.advanced(
            bySeconds: hasNumbers ? FeedPolicy.drain : FeedPolicy.blindDrain
        )
        showState()
    }

    private var isDrained: Bool {
        guard let retired, !retired.isClosing, let first = primary?.firstSeq,
            let last = retired.lastSeq
        else { return false }
        return last >= first - 1
    }

    mutating func closeRetired() {
        guard let retired else {
            drainUntil = nil
            return
        }
        guard !retired.isClosing else { return finishSwitch() }
        effects.append(.close(socket: retired.number, code: 1000))
        self.retired?.isClosing = true
        drainUntil = now.advanced(bySeconds: FeedPolicy.drain)
    }

    /// The old socket is gone: what still waits is applied, and the switch is told.
    mutating func finishSwitch() {
        guard let old = retired, let primary else { return }
        retired = nil
        drainUntil = nil
        let missedBefore = missed
        releaseHeld()
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
        if let wanted, wanted.generation > primary.generation, primary.isOpen { redialAt = now }
    }
}
