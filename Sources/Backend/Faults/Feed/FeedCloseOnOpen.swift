extension FeedFault {
    /// Some servers look at the token only after the upgrade.
    package static let feedCloseOnOpen = feedCloseOnOpen(code: 1008)

    private static func feedCloseOnOpen(code: Double) -> FeedFault {
        FeedFault(
            name: "feed-close-on-open",
            summary: "the upgrade, then at once a close: 1008",
            parameter: .closeCode,
            at: [.dialled],
            effect: { decision, _ in
                decision.close = FeedClose(code: UInt16(code), reason: "Token has expired")
            },
            setting: { feedCloseOnOpen(code: $0) }
        )
    }
}
