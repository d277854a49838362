extension FeedFault {
    /// Some servers look at the token only after the upgrade.
    package static let feedTurnAway = feedTurnAway(code: 1008)

    private static func feedTurnAway(code: Double) -> FeedFault {
        FeedFault(
            name: "feed-turn-away",
            summary: "the upgrade, then at once a close: 1008",
            parameter: .closeCode,
            at: [.dialled],
            act: { turn, _ in
                turn.close = FeedClose(code: UInt16(code), reason: "Token has expired")
            },
            setting: { feedTurnAway(code: $0) }
        )
    }
}
