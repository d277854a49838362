package import Basics

/// The users of two pairs of one session, as the backend names them.
package struct UserChange: Sendable, Hashable, Codable {
    package var before: String
    package var after: String
    /// Whether the new token is used, as the profile allows; `nil` in older recordings, where it is.
    package var isUsed: Bool?

    package init(before: String, after: String, isUsed: Bool? = nil) {
        self.before = before
        self.after = after
        self.isUsed = isUsed
    }
}

extension UserChange: EventKind {
    package static let name = "userChanged"
    package static let recordedAs = "userChanged._0"
    package static let summary = "A renewal brought a token of another user."
    package static let fields: [EventField<UserChange>] = [
        .text("before", "The user of the pair before.") { $0.before },
        .text("after", "The user of the new one.") { $0.after },
        .flag("used", "Whether the new token is used, as the profile allows.", isOptional: true) {
            $0.isUsed
        },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .bad }

    package mutating func hide(_ secrets: () -> KnownSecrets) {
        let secrets = secrets()
        before = secrets.hiding(in: before)
        after = secrets.hiding(in: after)
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.recordUserChange(self)
    }
}
