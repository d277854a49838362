package import Basics

/// A renewal brought tokens for fewer scopes than those before had.
package struct ScopesLost: EventKind {
    /// Those that are missing; the first of them, if there are many.
    package var scopes: [String]

    package init(_ scopes: [String]) {
        self.scopes = scopes
    }

    /// The most of them that are told.
    package static let limit = 16
}

extension ScopesLost {
    package static let name = "scopesLost"
    package static let summary = "A renewal brought tokens for fewer scopes than those before had."
    package static let fields: [EventField<ScopesLost>] = [
        .text("scopes", "Those that are missing, with spaces between them.") {
            $0.scopes.joined(separator: " ")
        }
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }

    package mutating func hide(_ secrets: () -> KnownSecrets) {
        // One with spaces may stand in several words.
        let text = scopes.joined(separator: " ")
        let shown = secrets().hiding(in: text)
        if shown != text { scopes = [shown] }
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.problems.lostScopes = scopes
    }
}
