import Timekeeping

extension FeedMachine {
    mutating func runDue() {
        if let redialAt, redialAt <= now {
            self.redialAt = nil
            if primary == nil { dial() } else { retrySwitch() }
        }
        if let promotionAt, promotionAt <= now { promote() }
        if let drainUntil, drainUntil <= now { closeRetired() }
        let (first, second) = (primary, successor)
        primary = checked(first)
        successor = checked(second)
    }

    /// Asks a silent socket, and gives up one that does not answer.
    private mutating func checked(_ socket: FeedSocket?) -> FeedSocket? {
        guard var socket, let check = socket.nextCheck, check <= now else { return socket }
        if socket.pingedAt == nil {
            socket.pingedAt = now
            socket.pongLimit = FeedPolicy.pongLimit
            perform(.ping(socket: socket.number))
            return socket
        }
        perform(.close(socket: socket.number, code: 1001))
        socket.isClosing = true
        return socket
    }

    mutating func checkAfterWake() {
        for keyPath in [\FeedMachine.primary, \FeedMachine.successor] {
            guard let socket = self[keyPath: keyPath], socket.isOpen else { continue }
            var asked = socket
            asked.pingedAt = now
            asked.pongLimit = FeedPolicy.pongLimitAfterWake
            self[keyPath: keyPath] = asked
            perform(.ping(socket: socket.number))
        }
    }

    mutating func ponged(_ number: Int) {
        guard let pingedAt = socket(number)?.pingedAt else { return }
        emit(.ping(socket: number, roundTrip: now - pingedAt))
        heard(number)
    }

    /// Any inbound frame proves the socket alive.
    mutating func heard(_ number: Int) {
        if primary?.number == number {
            primary?.lastInboundAt = now
            primary?.pingedAt = nil
        }
        if successor?.number == number {
            successor?.lastInboundAt = now
            successor?.pingedAt = nil
        }
    }
}
