/// The consequence of the end of a feed socket.
package enum FeedVerdict: Sendable, Hashable {
    /// Dial again after the usual backoff, and after this number of seconds at the earliest.
    case backoff(atLeast: Double)
    /// The same as an upgrade that was answered 401.
    case tokenRejected
    /// Dialing again would not help.
    case stop
    /// The server allows one socket only.
    case oneSocketOnly
}

/// The limits of the feed, in seconds.
package struct FeedPolicy: Sendable, Hashable {
    package static let dialLimit = 10.0
    /// The time after the opening at which the first ping is sent, which only measures.
    package static let firstPing = 1.0
    /// The time from one ping to the next.
    package static let pingInterval = 20.0
    /// The time without an inbound frame after a ping after which the socket is lost.
    package static let pongLimit = 10.0
    package static let pongLimitAfterWake = 3.0
    /// The time after which a new socket without a message becomes the primary one.
    package static let promotion = 1.0
    /// The longest time that the old socket is read after the switch.
    package static let drain = 2.0
    /// The same if messages are not numbered.
    package static let blindDrain = 0.5
    /// The time after a logout in which what was sent before it may still arrive; less than the
    /// transport waits for the server to close.
    package static let inTransit = 1.0
    /// The time open that shows that the socket's token is accepted.
    package static let proof = 5.0
    /// The time after its opening, or its first messages, in which the end of a socket that was not
    /// open for `proof` counts as a refusal: servers that read the token from the first message, or
    /// only after the upgrade, answer one that they do not accept so.
    package static let refusalWindow = 1.0
    /// The least wait after an upgrade that was answered, or a socket that was neither open for `proof`
    /// nor brought three messages:
    /// some servers count dials with a token that they do not accept, and ban the address.
    package static let leastWait = 1.0
    /// The time open after which the backoff starts again.
    package static let stable = 30.0
    package static let refusedWaits: [Double] = [30, 60, 120, 300]
    /// The time after a rotation in which a close with 4409 means that one socket only is allowed.
    package static let oneSocketWindow = 2.0

    /// The longest reconnection time that a server can ask for.
    package static let longestReconnection = 300.0

    /// Full jitter: U(0, 1) · min(0.5 · 2^k, 20).
    package static func backoff(attempt: Int, random: Double) -> Double {
        random * min(0.5 * Double(1 << min(attempt, 10)), 20)
    }

    /// Returns what follows a close with a code (RFC 6455 section 7.4).
    ///
    /// A message that the peer calls a mistake of this client would be one again; one for which
    /// this client closes, such as a message that is too long, need not come again.
    ///
    /// This is the one list of the codes that refuse a token; the page on recognition repeats it.
    package static func verdict(code: Int, by closer: FeedCloser = .peer) -> FeedVerdict {
        guard closer != .us else { return .backoff(atLeast: 0) }
        return switch code {
        case 1000, 1001, 1005, 1006, 1011, 1012, 1014: .backoff(atLeast: 0)
        case 1013, 4429: .backoff(atLeast: 5)
        case 1008, 3000, 3003, 4001, 4003, 4401, 4403: .tokenRejected
        case 4409: .oneSocketOnly
        case 1002, 1003, 1007, 1009, 1010, 4400, 4406: .stop
        default: .backoff(atLeast: 0)
        }
    }

    /// Whether a code says by itself why the server has closed: what is wrong is not the token.
    package static func isExplanation(code: Int) -> Bool {
        [1001, 1011, 1012, 1013, 1014, 4409, 4429].contains(code)
    }

    /// Whether a status, or a close code, says that the token is the reason.
    package static func namesToken(_ status: Int) -> Bool {
        status < 1000
            ? verdict(status: status) == .tokenRejected : verdict(code: status) == .tokenRejected
    }

    /// Returns what follows an upgrade that was refused with a status.
    package static func verdict(status: Int) -> FeedVerdict {
        switch status {
        case 401, 403: .tokenRejected
        // By 204, an event stream says that it is not to be opened again.
        case 204, 400, 404, 405, 426, 300..<400: .stop
        default: .backoff(atLeast: 0)
        }
    }
}
