package import Basics

/// A session that makes room for others.
package struct ForgottenSession: Sendable, Hashable, Codable {
    /// The number of sessions that are followed at a time.
    package var limit: Int
    var lastUsedAt: Instant
    /// Whether the session had ended.
    var hasEnded: Bool

    package init(limit: Int, lastUsedAt: Instant, hasEnded: Bool) {
        self.limit = limit
        self.lastUsedAt = lastUsedAt
        self.hasEnded = hasEnded
    }
}

extension ForgottenSession: ObservedEvent {
    package static let name = "forgotten"
    package static let summary =
        "An app's session makes room for others. Its tokens would be those of another one."
    package static let fields: [EventField<ForgottenSession>] = [
        .integer("limit", "How many sessions are followed at a time.") { $0.limit },
        .time("lastUsedAt", "When its tokens were seen last.") { $0.lastUsedAt },
        .flag("hasEnded", "Whether it had ended.") { $0.hasEnded },
    ]

    package static let forgetsSession = true
    package var kept: (any EventKind)? { nil }
    package var tone: EventTone { .warning }
    package var isNotice: Bool { !hasEnded }
    package var endNews: SessionEndNews? { .over }
}
