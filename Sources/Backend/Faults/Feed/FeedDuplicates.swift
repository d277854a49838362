extension FeedFault {
    /// What a queue delivers at least once.
    package static let feedDuplicates = FeedFault(
        name: "feed-duplicates",
        summary: "a message comes twice",
        at: [.message],
        effect: { decision, _ in decision.copies += 1 }
    )
}
