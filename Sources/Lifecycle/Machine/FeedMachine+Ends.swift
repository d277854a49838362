import Dialects
import Timekeeping

extension FeedMachine {
    mutating func closed(_ number: Int, code: Int, by: FeedCloser, reason: String) {
        guard let socket = socket(number) else { return }
        emit(.closed(socket: number, code: code, by: by, reason: reason))
        observeDuration(of: socket)
        if code == 4409 { noteOneSocketOnly(socket) }
        if retired?.number == number {
            finishSwitch()
        } else if successor?.number == number {
            drop(number)
            after(socket, code: code, by: by)
        } else {
            primaryClosed(socket, code: code, by: by)
        }
        releaseOrphans()
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
                return showState()
            }
            // The new one takes over where the old one stands; its first message will tell whether
            // something is missing.
            if successor.firstSeq != nil { lostSocket = nil }
            retired = socket
            return finishSwitch()
        }
        if let old = retired, !old.isClosing {
            // The new socket ended just after the switch: the old one serves again.
            retired = nil
            primary = old
            lostSocket = nil
            // What the new one said already waits for the old one to say what comes before; without
            // numbers nobody knows when that is.
            let isNumbered = heldMessages.allSatisfy { $0.message.seq != nil }
            drainUntil = isNumbered ? nil : now.advanced(bySeconds: FeedPolicy.blindDrain)
        }
        after(socket, code: code, by: by)
    }

    /// The server closed a socket for there being two: from now on, break before make.
    private mutating func noteOneSocketOnly(_ socket: FeedSocket) {
        let began = max(socket.dialledAt, switchStartedAt ?? socket.dialledAt)
        guard following == .overlap, now.seconds(since: began) <= FeedPolicy.oneSocketWindow
        else { return }
        following = .restart
    }

    private mutating func after(_ socket: FeedSocket, code: Int, by: FeedCloser) {
        guard let token else { return showState() }
        if by == .us, code == 1000 {
            dial()
            return showState()
        }
        switch FeedPolicy.verdict(code: code) {
        case .tokenRejected: rejected(socket, status: code)
        case .stop: stop(.closed(code: code))
        case .backoff(let atLeast):
            let isOutdated = token.generation > socket.generation && primary == nil
            // The server closed the socket of an old token: the new one is dialled at once.
            if isOutdated, atLeast == 0 { return dial() }
            backOff(atLeast: atLeast, why: .closed(code: code))
        case .oneSocketOnly: backOff(atLeast: 0, why: .closed(code: code))
        }
    }

    /// The socket is over and brought nothing; the other one stays.
    mutating func drop(_ number: Int) {
        if successor?.number == number {
            successor = nil
            switchStartedAt = nil
        }
        if primary?.number == number { primary = nil }
        if retired?.number == number { retired = nil }
    }

    /// Gives the socket in charge up for one that is asked for what came since the last message.
    mutating func askAgain() {
        guard let primary else { return }
        heldMessages.removeAll { $0.socket == primary.number }
        if !primary.isClosing { perform(.close(socket: primary.number, code: 1000)) }
        self.primary?.isClosing = true
        self.primary?.isAbandoned = true
        showState()
    }

    mutating func leave() {
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
        for socket in closeAll() {
            emit(.closed(socket: socket.number, code: 1000, by: .us, reason: ""))
        }
        primary = nil
        successor = nil
        retired = nil
        move(to: .idle)
    }

    @discardableResult
    private mutating func closeAll() -> [FeedSocket] {
        let sockets = [primary, successor, retired].compactMap { $0 }.filter { !$0.isClosing }
        for socket in sockets { perform(.close(socket: socket.number, code: 1000)) }
        return sockets
    }
}
