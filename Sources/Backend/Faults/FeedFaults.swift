extension FeedFault {
    /// Rejects a token before the upgrade, as ASGI servers do.
    static let feedRefuse = feedRefuse(status: 403)

    private static func feedRefuse(status: Double) -> FeedFault {
        FeedFault(
            name: "feed-refuse",
            summary: "403 in place of the upgrade",
            parameter: FaultParameter(.status, 300...599),
            at: [.dialed],
            effect: { decision, _ in decision.refusal = Int(status) },
            setting: { feedRefuse(status: $0) }
        )
    }

    /// Rejects a token after the upgrade, as servers do that check it only then.
    static let feedCloseOnOpen = feedCloseOnOpen(code: 1008)

    private static func feedCloseOnOpen(code: Double) -> FeedFault {
        FeedFault(
            name: "feed-close-on-open",
            summary: "the upgrade, then at once a close: 1008",
            parameter: .closeCode,
            at: [.dialed],
            effect: { decision, _ in
                decision.close = FeedClose(code: UInt16(code), reason: "Token has expired")
            },
            setting: { feedCloseOnOpen(code: $0) }
        )
    }

    /// Ends an open feed as a deployment, a crash or a proxy's limit does; with 1006 the transport
    /// just ends.
    static let feedClose = feedClose(code: 1011)

    private static func feedClose(code: Double) -> FeedFault {
        FeedFault(
            name: "feed-close",
            summary: "an open feed is closed: 1011; 1006 cuts it",
            parameter: .closeCode,
            at: [.opened, .message],
            effect: { decision, _ in decision.close = FeedClose(code: UInt16(code), reason: "") },
            setting: { feedClose(code: $0) }
        )
    }

    /// Simulates a half-open connection: the server is gone, and the client was not notified.
    static let feedSilent = FeedFault(
        name: "feed-silent",
        summary: "an open feed sends nothing more, not even a pong",
        at: [.opened, .message],
        effect: { decision, _ in decision.isFrozen = true }
    )

    /// Sends a message more than once, as a queue with at-least-once delivery does.
    static let feedDuplicates = FeedFault(
        name: "feed-duplicates",
        summary: "a message comes twice",
        at: [.message],
        effect: { decision, _ in decision.copies += 1 }
    )

    /// Closes a feed when its token expires; servers differ in whether they do.
    static let feedExpiry = feedExpiry(code: 4401)

    private static func feedExpiry(code: Double) -> FeedFault {
        FeedFault(
            name: "feed-expiry",
            summary: "a feed is closed as its token expires: 4401",
            parameter: .closeCode,
            at: [.expired],
            effect: { decision, _ in
                decision.close = FeedClose(code: UInt16(code), reason: "the token has expired")
            },
            setting: { feedExpiry(code: $0) }
        )
    }
}
