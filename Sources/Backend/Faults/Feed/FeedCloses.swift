extension FeedFault {
    /// A deployment, a crash, a proxy's limit: with 1006 the transport just ends.
    package static let feedClose = feedClose(code: 1011)

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
}
