import Basics
package import Profiles

/// The backend's response about the user's active sessions.
package enum SessionListUpdate: Sendable, Hashable, Codable {
    case listed([ListedSession])
    /// The one of this id.
    case ended(String)
    /// Why it did not list the sessions, or did not end one.
    case failed(SessionListFailure)
}

extension SessionListUpdate: EventKind {
    package static let name = "sessions"
    package static let recordedAs = "sessions._0"
    package static let summary = "What the backend says of the user's active sessions."
    package static let fields: [EventField<SessionListUpdate>] = [
        .integer("count", "How many there are.", isOptional: true) {
            if case .listed(let sessions) = $0 { sessions.count } else { nil }
        },
        .text("ended", "The id of the one that it ended.", isOptional: true) {
            if case .ended(let id) = $0 { id } else { nil }
        },
        .choice("cause", "What it did not do.", isOptional: true) {
            (news: SessionListUpdate) -> SessionListFailure.Request? in
            if case .failed(let failure) = news { failure.request } else { nil }
        },
        .sentence("message", "Why it did neither, for users.", isOptional: true) {
            if case .failed(let failure) = $0 { $1.text(failure) } else { nil }
        },
    ]

    package var kept: (any EventKind)? {
        switch self {
        case .listed: nil
        case .ended, .failed: self
        }
    }
    package var level: EventLevel { .debug }
    package var tone: EventTone {
        switch self {
        case .listed, .ended: .plain
        case .failed: .warning
        }
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.activeSessions.apply(self, at: event.moment)
    }
}
