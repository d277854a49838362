import Basics
import Model

/// The change from the socket with the old token to the one with the new token.
extension FeedMachine {
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
            updateState()
        case .overlap:
            guard successor == nil, retired == nil, ending.isEmpty, let socket = startDial() else {
                return
            }
            switchStartedAt = now
            overlapDuplicates = 0
            copies = UnmatchedCopies()
            successor = socket
            updateState()
        }
    }

    mutating func retrySwitch() {
        guard let primary, primary.isOpen, let token, token.generation > primary.generation
        else { return }
        follow(primary)
    }

    var promotionAt: Instant? {
        guard let successor, successor.isOpen, primary != nil else { return nil }
        return successor.openedAt.map { $0.advanced(bySeconds: FeedPolicy.promotion) }
    }

    /// Makes the new socket the primary one; the old one is read until it has caught up.
    mutating func promote() {
        guard let successor, successor.isOpen, let old = primary else { return }
        self.successor = nil
        primary = successor
        primary?.predecessor = old.number
        retired = old
        let hasNumbers = successor.firstSeq != nil || old.lastSeq != nil
        // One that is closing for its silence ends by then.
        let isRead = hasNumbers || old.isClosing
        drainUntil = now.advanced(bySeconds: isRead ? FeedPolicy.drain : FeedPolicy.blindDrain)
        updateState()
    }

    var isDrained: Bool {
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
        guard !retired.isClosing else {
            ending.insert(retired.number)
            return finishSwitch()
        }
        perform(.close(socket: retired.number, code: 1000))
        self.retired?.isClosing = true
        drainUntil = now.advanced(bySeconds: FeedPolicy.drain)
    }

    /// Applies the held messages once the old socket has ended, and emits the switch.
    mutating func finishSwitch() {
        guard let old = retired else { return }
        retired = nil
        drainUntil = nil
        copies.end(at: now.advanced(bySeconds: FeedPolicy.blindDrain))
        guard !lacksHistory(primary) else {
            switchStartedAt = nil
            return requestAgain()
        }
        let missedBefore = missed
        releasePassed()
        guard let primary, primary.isOpen else {
            switchStartedAt = nil
            return updateState()
        }
        emit(
            FeedSwitched(
                from: old.number,
                to: primary.number,
                duplicates: overlapDuplicates,
                gap: missed - missedBefore,
                after: now - (switchStartedAt ?? now)
            )
        )
        switchStartedAt = nil
        updateState()
        // Another token arrived during the switch.
        if let token, token.generation > primary.generation, primary.isOpen {
            redialAt = redialAt ?? now
        }
    }

    /// Applies the held messages that the primary socket has passed.
    ///
    /// The others are held for a short time only: the messages that they wait for may have been
    /// delivered to a third socket, which has ended.
    private mutating func releasePassed() {
        let last = primary?.lastSeq ?? .min
        releaseHeld { $0 <= last }
        if !heldMessages.isEmpty { drainUntil = now.advanced(bySeconds: FeedPolicy.drain) }
    }

    /// Replaces the primary socket by one that requests the messages after the last one applied.
    mutating func requestAgain() {
        guard let primary else { return }
        heldMessages.removeAll { $0.socket == primary.number }
        if !primary.isClosing { perform(.close(socket: primary.number, code: 1000)) }
        self.primary?.isClosing = true
        self.primary?.isAbandoned = true
        updateState()
    }
}
