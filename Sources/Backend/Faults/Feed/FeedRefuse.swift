extension FeedFault {
    /// Before the upgrade, as ASGI servers refuse a token.
    package static let feedRefuse = feedRefuse(status: 403)

    private static func feedRefuse(status: Double) -> FeedFault {
        FeedFault(
            name: "feed-refuse",
            summary: "403 in place of the upgrade",
            parameter: FaultParameter(.status, 400...599),
            at: [.dialled],
            effect: { decision, _ in decision.refusal = Int(status) },
            setting: { feedRefuse(status: $0) }
        )
    }
}
