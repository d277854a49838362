extension FeedFault {
    /// A half-open connection: the machine at the other end is gone, and nobody said so.
    package static let feedSilent = FeedFault(
        name: "feed-silent",
        summary: "an open feed says nothing more, not a pong",
        at: [.opened, .message],
        effect: { decision, _ in decision.isFrozen = true }
    )
}
