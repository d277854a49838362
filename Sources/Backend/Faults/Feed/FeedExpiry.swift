extension FeedFault {
    /// Servers differ in whether a socket outlives its token.
    package static let feedExpiry = feedExpiry(code: 4401)

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
