import Basics
import Model
import Profiles

/// The end of a socket, of the session, and of the program.
extension FeedMachine {
    mutating func closed(_ number: Int, code: Int, by: FeedCloser, reason: String) {
        let socket = socket(number)
        guard socket != nil || ending.remove(number) != nil else { return }
        emit(FeedClosed(socket: number, code: code, by: by, reason: reason))
        guard let socket else { return switchAfterEnd() }
        observeDuration(of: socket)
        if code == 4409 { noteOneSocketOnly(socket) }
        // What came since the last message would fail the next socket too.
        let isUnreadable = by == .us && [1007, 1009].contains(code)
        skipsHistory = isUnreadable && socket.isResumed && !socket.hasCarried
        if retired?.number == number {
            finishSwitch()
        } else if successor?.number == number {
            drop(number)
            socketEnded(socket, code: code, by: by)
        } else {
            primaryClosed(socket, code: code, by: by)
        }
        releaseOrphans()
    }

    /// Begins the switch that has waited for a socket to end, if one has.
    private mutating func switchAfterEnd() {
        guard let token, let primary, primary.isOpen, token.generation > primary.generation else {
            return
        }
        redialAt = redialAt ?? now
    }

    private mutating func primaryClosed(_ socket: FeedSocket, code: Int, by: FeedCloser) {
        primary = nil
        lostSocket = (socket.number, now)
        if let successor {
            self.successor = nil
            primary = successor
            guard successor.isOpen else {
                // The old socket ended while the new one is being opened.
                switchStartedAt = nil
                copies = UnmatchedCopies()
                return updateState()
            }
            // The new one continues where the old one ended; its first message shows whether
            // messages are missing.
            if successor.firstSeq != nil { lostSocket = nil }
            primary?.predecessor = socket.number
            retired = socket
            return finishSwitch()
        }
        if let old = retired, !old.isClosing {
            // The new socket ended just after the switch: the old one is used again.
            retired = nil
            primary = old
            lostSocket = nil
            // Held messages of the new one wait for those of the old one that precede them; without
            // numbers, only for a time.
            let isNumbered = heldMessages.allSatisfy { $0.message.seq != nil }
            drainUntil = isNumbered ? nil : now.advanced(bySeconds: FeedPolicy.blindDrain)
        }
        socketEnded(socket, code: code, by: by)
    }

    /// Closes the old socket first from now on: the server allows one socket only.
    private mutating func noteOneSocketOnly(_ socket: FeedSocket) {
        let began = max(socket.dialedAt, switchStartedAt ?? socket.dialedAt)
        guard following == .overlap, now.seconds(since: began) <= FeedPolicy.oneSocketWindow
        else { return }
        following = .restart
    }

    mutating func socketEnded(_ socket: FeedSocket, code: Int, by: FeedCloser) {
        guard let token else { return updateState() }
        if by == .us, code == 1000 {
            dial()
            return updateState()
        }
        let leastWait = socket.endsEarly(at: now) ? FeedPolicy.leastWait : 0
        switch FeedPolicy.verdict(code: code, by: by) {
        case .tokenRejected: tokenRejected(socket, status: code)
        case .stop: stop(.closed(code: code))
        case .backoff(let atLeast):
            let isOutdated = token.generation > socket.generation && primary == nil
            // The server closed the socket of an old token: the new one is dialed at once.
            if isOutdated, atLeast == 0 { return dialNewest(.closed(code: code)) }
            if isRefusal(of: socket, code: code, by: by) {
                rest = (now.advanced(bySeconds: FeedPolicy.leastWait), code)
                return tokenRejected(socket, status: code)
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
    /// dial after the other before anything has come.
    private func isRefusal(of socket: FeedSocket, code: Int, by closer: FeedCloser) -> Bool {
        guard carrier == .webSocket, closer != .us, !FeedPolicy.isExplanation(code: code),
            socket.endsLikeRefused(at: now)
        else { return false }
        return code != 1006 || socket.messages == 0 && attempt > 0
    }

    /// Removes a socket that was never used.
    mutating func drop(_ number: Int) {
        if successor?.number == number {
            successor = nil
            switchStartedAt = nil
            copies = UnmatchedCopies()
        }
        if primary?.number == number { primary = nil }
        if retired?.number == number { retired = nil }
    }

    mutating func shutDown() {
        isStopped = true
        stoppedWhy = nil
        redialAt = nil
        closeAll()
        primary?.isClosing = true
        successor?.isClosing = true
        retired?.isClosing = true
    }

    mutating func end() {
        ledger.sessionEnded()
        redialAt = nil
        drainUntil = nil
        switchStartedAt = nil
        heldMessages = []
        endedAt = now
        endedSocket = lastSocket
        closeAll()
        for socket in [primary, successor, retired].compactMap(\.self) {
            emit(FeedClosed(socket: socket.number, code: 1000, by: .us, reason: ""))
        }
        primary = nil
        successor = nil
        retired = nil
        move(to: .idle)
    }

    private mutating func closeAll() {
        let sockets = [primary, successor, retired].compactMap { $0 }.filter { !$0.isClosing }
        for socket in sockets { perform(.close(socket: socket.number, code: 1000)) }
    }

    /// Emits once that a socket of an ended session still receives messages, other than those that
    /// were already sent at the time of the logout.
    mutating func noteLeak(_ number: Int) {
        guard let endedAt, now.seconds(since: endedAt) > FeedPolicy.inTransit,
            leaking.insert(number).inserted
        else { return }
        emit(FeedAliveAfterLogout(socket: number))
    }
}
