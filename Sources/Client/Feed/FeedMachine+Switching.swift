import Basics
import Model

/// The change from the socket with the old token to the one with the new token.
struct FeedHandover: Sendable {
    enum Phase: Sendable {
        /// The new socket will replace the primary one.
        case opening(FeedSocket)
        /// The old socket was replaced, and is read until it has caught up or, if it is closing, until it
        /// is closed.
        case draining(FeedSocket, until: Instant)
    }

    let startedAt: Instant
    var phase: Phase

    var drainsUntil: Instant? {
        if case .draining(_, let until) = phase { until } else { nil }
    }

    /// Moves the time until which the old socket is waited for, if it is replaced already.
    mutating func drain(until: Instant) {
        if case .draining(let old, _) = phase { phase = .draining(old, until: until) }
    }

    /// Changes the socket that is not the primary one, if it has this number.
    mutating func change(_ number: Int, _ body: (inout FeedSocket) -> Void) {
        switch phase {
        case .opening(var socket) where socket.number == number:
            body(&socket)
            phase = .opening(socket)
        case .draining(var socket, let until) where socket.number == number:
            body(&socket)
            phase = .draining(socket, until: until)
        case .opening, .draining: break
        }
    }
}

extension FeedMachine {
    /// The socket that will replace the primary one.
    var successor: FeedSocket? {
        if case .opening(let socket)? = handover?.phase { socket } else { nil }
    }

    /// The socket that was replaced, until it is closed.
    var retired: FeedSocket? {
        if case .draining(let socket, _)? = handover?.phase { socket } else { nil }
    }

    mutating func updateToken(of primary: FeedSocket) {
        switch following {
        case .keep: return
        case .restart:
            perform(.close(socket: primary.number, code: 1000))
            self.primary?.isClosing = true
        case .message:
            guard let token else { return }
            self.primary?.generation = token.generation
            converse(.renewed, on: primary.number)
            updateState()
        case .overlap:
            guard handover == nil, ending.isEmpty, let socket = startDial() else { return }
            handover = FeedHandover(startedAt: now, phase: .opening(socket))
            overlapDuplicates = 0
            copies = UnmatchedCopies()
            updateState()
        }
    }

    mutating func retrySwitch() {
        guard let primary, primary.isOpen, let token, token.generation > primary.generation
        else { return }
        updateToken(of: primary)
    }

    var promotionAt: Instant? {
        guard let successor, successor.isOpen, primary != nil else { return nil }
        return successor.openedAt.map { $0.advanced(bySeconds: FeedPolicy.promotion) }
    }

    /// Makes the new socket the primary one; the old one is read until it has caught up.
    mutating func promote() {
        guard let successor, successor.isOpen, let old = primary else { return }
        primary = successor
        primary?.predecessor = old.number
        let hasNumbers = successor.firstSeq != nil || old.lastSeq != nil
        // One that is closing for its silence ends by then.
        let isRead = hasNumbers || old.isClosing
        let seconds = isRead ? FeedPolicy.drain : FeedPolicy.blindDrain
        handover?.phase = .draining(old, until: now.advanced(bySeconds: seconds))
        heldUntil = nil
        updateState()
    }

    var isDrained: Bool {
        guard let retired, !retired.isClosing, let first = primary?.firstSeq,
            let last = retired.lastSeq
        else { return false }
        return last >= first || first == last &+ 1
    }

    mutating func closeRetired() {
        guard var retired else { return }
        guard !retired.isClosing else {
            ending.insert(retired.number)
            return finishSwitch()
        }
        perform(.close(socket: retired.number, code: 1000))
        retired.isClosing = true
        handover?.phase = .draining(retired, until: now.advanced(bySeconds: FeedPolicy.drain))
    }

    /// Applies the held messages once the old socket has ended, and emits the switch.
    mutating func finishSwitch() {
        guard let handover, case .draining(let old, _) = handover.phase else { return }
        self.handover = nil
        heldUntil = nil
        copies.end(at: now.advanced(bySeconds: FeedPolicy.blindDrain))
        guard !lacksHistory(primary) else { return requestAgain() }
        let missedBefore = missed
        releasePassed()
        guard let primary, primary.isOpen else { return updateState() }
        emit(
            FeedSwitched(
                from: old.number,
                to: primary.number,
                duplicates: overlapDuplicates,
                gap: missed - missedBefore,
                after: now - handover.startedAt
            )
        )
        updateState()
        // Another token may have arrived during the switch.
        if case .atOnce = redial { retrySwitch() }
    }

    /// Applies the held messages that the primary socket has passed.
    ///
    /// The others are held for a short time only: the messages that they wait for may have been
    /// delivered to a third socket, which has ended.
    private mutating func releasePassed() {
        let last = primary?.lastSeq ?? .min
        releaseHeld { $0 <= last }
        if !heldMessages.isEmpty { heldUntil = now.advanced(bySeconds: FeedPolicy.drain) }
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
