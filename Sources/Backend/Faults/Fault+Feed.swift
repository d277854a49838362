package import Model

/// The effects of a backend's faults on an open feed.
extension Fault {
    /// The moments of a feed at which it can fire.
    package var moments: Set<FeedMoment> {
        switch effect {
        case .refuseFeed, .closeFeedAtOnce: [.dialed]
        case .closeFeed, .silenceFeed: [.opened, .message]
        case .repeatMessage: [.message]
        case .closeFeedAtExpiry: [.expired]
        case .breach, .send, .loseRequest, .answer, .refuseAccess, .refuseAccessAtOnce,
            .refuseRefresh,
            .loseAnswer, .delayAnswer, .cutAnswer, .replaceAnswer, .spoilStatus, .shiftDate,
            .removeRefreshToken, .shortenLife, .revokeSession:
            []
        }
    }

    fileprivate func act(on decision: inout FeedDecision) {
        switch effect {
        case .refuseFeed: decision.refusal = value(.status).map { Int($0) } ?? 403
        case .closeFeedAtOnce: decision.close = close(1008, "Token has expired")
        case .closeFeed: decision.close = close(1011, "")
        case .closeFeedAtExpiry: decision.close = close(4401, "the token has expired")
        case .silenceFeed: decision.isFrozen = true
        case .repeatMessage: decision.copies += 1
        case .breach, .send, .loseRequest, .answer, .refuseAccess, .refuseAccessAtOnce,
            .refuseRefresh,
            .loseAnswer, .delayAnswer, .cutAnswer, .replaceAnswer, .spoilStatus, .shiftDate,
            .removeRefreshToken, .shortenLife, .revokeSession:
            break
        }
    }

    /// A close with the code that is set, or else with the usual one.
    private func close(_ usual: UInt16, _ reason: String) -> FeedClose {
        FeedClose(code: value(.code).map { UInt16($0) } ?? usual, reason: reason)
    }
}

/// A moment in the life of a feed's socket at which a fault can fire.
package enum FeedMoment: Sendable, Hashable {
    /// The client has sent a valid token, with the upgrade or in a message.
    case dialed
    /// The socket is open, and nothing has been sent yet.
    case opened
    /// A message is due.
    case message
    /// The access token that opened the socket has expired.
    case expired
}

/// The server's action at a moment of a feed, as changed by faults.
package struct FeedDecision: Sendable, Hashable {
    let moment: FeedMoment
    /// The status of the response in place of the upgrade, or `nil` for the upgrade; a token in a
    /// message is refused by one.
    package var refusal: Int?
    package var close: FeedClose?
    /// Whether nothing is sent or read any more while the transport stays open.
    package var isFrozen = false
    /// The number of times the message is sent.
    package var copies = 1

    /// Computes the decision under faults.
    ///
    /// - Parameters:
    ///   - moment: The moment in the life of the feed.
    ///   - faults: The faults that fire now.
    package init(
        _ moment: FeedMoment,
        under faults: [Fault] = []
    ) {
        self.moment = moment
        for fault in faults { fault.act(on: &self) }
    }
}

/// A close frame from the server.
package struct FeedClose: Sendable, Hashable {
    /// The close code; 1006 stands for the end of the transport without a close frame (RFC 6455
    /// section 7.4.1).
    package var code: UInt16
    package var reason: String

    package init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }
}
