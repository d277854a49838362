/// Faults of feeds and their sockets.
extension Fault {
    /// In the order of the list.
    static let ofFeeds: [Fault] = [
        .feedRefuse, .feedCloseOnOpen, .feedClose, .feedSilent, .feedDuplicates, .feedExpiry,
    ]

    /// As by ASGI servers, which reject a token before the upgrade.
    package static let feedRefuse = Fault(
        .refuseFeed,
        FaultRole(
            .backend,
            "feed-refuse",
            in: [.feed],
            [FaultParameter(.status, 300...599)]
        ) { _ in "403 in place of the upgrade" }
    )

    /// As by servers that check a token only after the upgrade.
    package static let feedCloseOnOpen = Fault(
        .closeFeedAtOnce,
        FaultRole(
            .backend,
            "feed-close-on-open",
            in: [.feed],
            [.closeCode]
        ) { _ in "the upgrade, then at once a close: 1008" }
    )

    /// As by a deployment, a crash or a proxy's limit.
    package static let feedClose = Fault(
        .closeFeed,
        FaultRole(
            .backend,
            "feed-close",
            in: [.feed],
            [.closeCode]
        ) { _ in "an open feed is closed: 1011; 1006 cuts it" },
        FaultRole(
            .client,
            "cut-feed",
            words: "cut the feed",
            in: [.feed],
            checks: [.bringsFeedBack],
            risk: "The backend sees a connection that breaks."
        ) { _ in "ends the feed without a close frame" },
        FaultRole(
            .app,
            "cut",
            in: [.feed],
            [.sentCode],
            watch: 90,
            checks: [.dialsAgain, .dialsWithNewest]
        ) { fault in
            fault[.code] == 1006
                ? "ends the open sockets without a close frame"
                : "closes the open sockets with code \(fault[.code])"
        }
    )

    /// A half-open connection: the server is gone, and the client was not notified.
    package static let feedSilent = Fault(
        .silenceFeed,
        FaultRole(.backend, "feed-silent", in: [.feed]) { _ in
            "an open feed sends no more, no pong either"
        },
        FaultRole(
            .app,
            "mute",
            in: [.feed],
            watch: 90,
            checks: [.noticesSilence, .dialsAgain]
        ) { _ in "lets nothing more come through the open sockets" }
    )

    /// As by a queue with at-least-once delivery.
    package static let feedDuplicates = Fault(
        .repeatMessage,
        FaultRole(.backend, "feed-duplicates", in: [.feed]) { _ in "a message comes twice" }
    )

    /// Some servers close a feed when its token expires; others do not.
    package static let feedExpiry = Fault(
        .closeFeedAtExpiry,
        FaultRole(
            .backend,
            "feed-expiry",
            in: [.feed],
            [.closeCode]
        ) { _ in "a feed is closed as its token ends: 4401" }
    )
}
