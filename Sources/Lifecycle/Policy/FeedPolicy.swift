/// What follows the end of a feed socket.
package enum FeedVerdict: Sendable, Hashable {
    /// Dial again after the usual backoff, but not before so many seconds.
    case backoff(atLeast: Double)
    /// As if the upgrade had been answered 401.
    case tokenRejected
    /// Dialling again would not help.
    case stop
    /// The server allows one socket only.
    case oneSocketOnly
}

/// The numbers of the feed, in seconds.
package struct FeedPolicy: Sendable, Hashable {
    package static let dialLimit = 10.0
    /// Without an inbound frame for so long, a ping is sent.
    static let silence = 20.0
    /// Nothing within so long after a ping: the socket is dead.
    static let pongLimit = 10.0
    static let pongLimitAfterWake = 3.0
    /// A new socket without a first frame is primary after so long.
    static let promotion = 1.0
    /// The old socket is read at most so long after the switch.
    static let drain = 2.0
    /// Without numbered messages the old socket is read so long.
    static let blindDrain = 0.5
    /// A socket that was open so long was dialled with a good token.
    static let proof = 5.0
    /// Backoff starts over after so long an open socket.
    static let stable = 30.0
    static let refusedWaits: [Double] = [30, 60, 120, 300]
    /// A socket closed with 4409 so soon after a rotation was one too many.
    static let oneSocketWindow = 2.0

    /// Full jitter: U(0, 1) · min(0.5 · 2^k, 20).
    static func backoff(attempt: Int, random: Double) -> Double {
        random * min(0.5 * Double(1 << min(attempt, 10)), 20)
    }

    /// What a close code (RFC 6455 section 7.4) asks for.
    package static func verdict(code: Int) -> FeedVerdict {
        switch code {
        case 1000, 1001, 1005, 1006, 1011, 1012, 1014: .backoff(atLeast: 0)
        case 1013, 4429: .backoff(atLeast: 5)
        case 1008, 3000, 3003, 4001, 4003, 4401, 4403: .tokenRejected
        case 4409: .oneSocketOnly
        case 1002, 1003, 1007, 1009, 1010, 4400, 4406:
            .stop
        default: .backoff(atLeast: 0)
        }
    }

    /// What a refused upgrade's status asks for.
    package static func verdict(status: Int) -> FeedVerdict {
        switch status {
        case 401, 403: .tokenRejected
        case 400, 404, 405, 426, 300..<400: .stop
        default: .backoff(atLeast: 0)
        }
    }
}
