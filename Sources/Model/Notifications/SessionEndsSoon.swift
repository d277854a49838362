package import Basics

/// A session that nothing can renew ends soon: what is notified of it, which is no event of its own.
package struct SessionEndsSoon: EventKind {
    package var endsAt: Instant
    package var reason: SignedOutReason

    package init(endsAt: Instant, reason: SignedOutReason) {
        self.endsAt = endsAt
        self.reason = reason
    }
}

extension SessionEndsSoon {
    package static let name = NotificationCondition.sessionEndsSoon.rawValue
    package static let summary = "A session that nothing can renew ends soon."
    package static let fields: [EventField<SessionEndsSoon>] = [
        .time("endsAt", "When it ends.") { $0.endsAt },
        .choice("reason", "Why the session ends.") { $0.reason },
    ]

    package var kept: (any EventKind)? { nil }
    package var condition: NotificationCondition? { .sessionEndsSoon }
}
