import Basics
import Model
import Profiles

/// The end of a socket, of the session, and of the program.
extension FeedMachine {
    mutating func closed(_ number: Int, code: Int, by: FeedCloser, reason: String) {
        let socket = socket(number)
        guard socket != nil || ending.remove(number) != nil else { return }
        emit(FeedClosed(socket: number, code: code, by: by, reason: reason))
        guard let socket else {
            // A switch may have waited for it to end.
            if case .atOnce = redial { retrySwitch() }
            return
        }
        if code == 4409 { recordOneSocketOnly(socket) }
        // The data after the last message would fail the next socket too.
        let isUnreadable = by == .us && [1007, 1009].contains(code)
        skipsHistory = isUnreadable && socket.isResumed && !socket.hasCarried
        ended(socket, .closed(code: code, by: by))
    }

    /// How a socket has ended.
    enum SocketEnd {
        case closed(code: Int, by: FeedCloser)
        /// It was given up because of what was said on it, or was not.
        case givenUp(FeedCause)
    }

    /// Takes a socket out of use, and decides what follows.
    mutating func ended(_ socket: FeedSocket, _ end: SocketEnd) {
        observeDuration(of: socket)
        if retired?.number == socket.number {
            finishSwitch()
        } else if successor?.number == socket.number {
            drop(socket.number)
            socketEnded(socket, end)
        } else {
            primaryEnded(socket, end)
        }
        releaseOrphans()
    }

    private mutating func primaryEnded(_ socket: FeedSocket, _ end: SocketEnd) {
        primary = nil
        lostSocket = (socket.number, now)
        switch handover?.phase {
        case .opening(let successor):
            primary = successor
            guard successor.isOpen else {
                // The old socket ended while the new one is being opened.
                handover = nil
                copies = UnmatchedCopies()
                return updateState()
            }
            // The new one continues where the old one ended; its first message shows whether
            // messages are missing.
            if successor.firstSeq != nil { lostSocket = nil }
            primary?.predecessor = socket.number
            handover?.phase = .draining(socket, until: now)
            return finishSwitch()
        case .draining(let old, _) where !old.isClosing:
            // The new socket ended just after the switch: the old one is used again.
            handover = nil
            primary = old
            lostSocket = nil
            // Held messages of the new one wait for those of the old one that precede them; without
            // numbers, only for a time.
            let isNumbered = heldMessages.allSatisfy { $0.message.seq != nil }
            heldUntil = isNumbered ? nil : now.advanced(bySeconds: FeedPolicy.blindDrain)
        case .draining, nil: break
        }
        socketEnded(socket, end)
    }

    /// Closes the old socket first from now on: the server allows one socket only.
    private mutating func recordOneSocketOnly(_ socket: FeedSocket) {
        let began = max(socket.dialedAt, handover?.startedAt ?? socket.dialedAt)
        guard following == .overlap, now.seconds(since: began) <= FeedPolicy.oneSocketWindow
        else { return }
        following = .restart
    }

    private mutating func socketEnded(_ socket: FeedSocket, _ end: SocketEnd) {
        guard token != nil else { return updateState() }
        switch end {
        case .closed(let code, let by): socketClosed(socket, code: code, by: by)
        case .givenUp(let why):
            guard case .refusedByMessage = why else {
                return backOff(atLeast: FeedPolicy.leastWait, why: why)
            }
            tokenRejected(socket, .backoff(attempt: attempt, why: why))
        }
    }

    private mutating func socketClosed(_ socket: FeedSocket, code: Int, by: FeedCloser) {
        guard let token else { return updateState() }
        if by == .us, code == 1000 {
            dial()
            return updateState()
        }
        let leastWait = socket.endsEarly(at: now) ? FeedPolicy.leastWait : 0
        switch FeedPolicy.verdict(code: code, by: by) {
        case .tokenRejected: tokenRejected(socket, .refused(status: code))
        case .stop: stop(.closed(code: code))
        case .backoff(let atLeast):
            let isOutdated = token.generation > socket.generation && primary == nil
            // The server closed the socket of an old token: the new one is dialed at once.
            if isOutdated, atLeast == 0 { return dialNewest(.closed(code: code)) }
            if isRefusal(of: socket, code: code, by: by) {
                let rest = now.advanced(bySeconds: FeedPolicy.leastWait)
                let close = FeedRefusal.Close(code: code, restsUntil: rest)
                return tokenRejected(socket, .refused(status: code), close: close)
            }
            let used = socket.hasCarried ? now.seconds(since: socket.dialedAt) : 0
            backOff(atLeast: max(atLeast, leastWait), used: used, why: .closed(code: code))
        case .oneSocketOnly: backOff(atLeast: leastWait, why: .closed(code: code))
        }
    }

    /// Whether the end of a socket is the server's answer to its token although the code does not say
    /// so.
    ///
    /// A stream needs no such answer: it has a status. A network may cut a socket, too, but hardly one
    /// dial after the other, right after the opening or the first messages.
    private func isRefusal(of socket: FeedSocket, code: Int, by closer: FeedCloser) -> Bool {
        guard carrier == .webSocket, closer != .us, !FeedPolicy.isExplanation(code: code),
            socket.endsLikeRefused(at: now)
        else { return false }
        return code != 1006 || attempt > 0
    }

    /// Removes a socket that was never used.
    mutating func drop(_ number: Int) {
        if successor?.number == number {
            handover = nil
            copies = UnmatchedCopies()
        }
        if primary?.number == number { primary = nil }
    }

    mutating func shutDown() {
        redial = .shutDown
        closeAll()
        for socket in sockets { change(socket.number) { $0.isClosing = true } }
    }

    mutating func end() {
        ledger.sessionEnded()
        redial = .atOnce
        heldMessages = []
        heldUntil = nil
        ended = (now, lastSocket)
        closeAll()
        for socket in sockets {
            emit(FeedClosed(socket: socket.number, code: 1000, by: .us, reason: ""))
        }
        primary = nil
        handover = nil
        move(to: .idle)
    }

    private mutating func closeAll() {
        for socket in sockets where !socket.isClosing {
            perform(.close(socket: socket.number, code: 1000))
        }
    }

    /// Emits once that a socket of an ended session still receives messages, other than those that
    /// were already sent at the time of the logout.
    mutating func recordLeak(_ number: Int) {
        guard let ended, now.seconds(since: ended.at) > FeedPolicy.inTransit,
            leaking.insert(number).inserted
        else { return }
        emit(FeedAliveAfterLogout(socket: number))
    }
}
