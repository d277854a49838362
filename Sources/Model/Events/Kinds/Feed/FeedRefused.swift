package import Profiles

/// The upgrade was answered with this status, and looked like this.
package struct FeedRefused: FeedEvent {
    package var socket: Int
    package var status: Int
    package var evidence: ResponseEvidence?
    /// What the server says in the answer, or `nil` if it says nothing.
    package var serverWords: String?

    package init(
        socket: Int,
        status: Int,
        evidence: ResponseEvidence? = nil,
        serverWords: String? = nil
    ) {
        self.socket = socket
        self.status = status
        self.evidence = evidence
        self.serverWords = serverWords
    }
}

extension FeedRefused {
    package static let name = "feedRefused"
    package static let summary =
        "The upgrade to a WebSocket was answered with another status than 101."
    package static let fields: [EventField<FeedRefused>] =
        [
            .integer("socket", "Its number.") { $0.socket },
            .integer("status", "The HTTP status.") { $0.status },
            .text("serverWords", "What the server says in the answer.", isOptional: true) {
                $0.serverWords
            },
        ] + EventSchema.appearance { $0.evidence }

    package var line: FeedLine.Event? { .refused(withoutEvidence) }
    package var kept: (any EventKind)? { withoutEvidence }
    package var tone: EventTone { .warning }
    package var lifelineMark: LifelineMark? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        if let evidence {
            session.feed.evidence.insert(evidence, numbered: socket, isSuccess: false)
        }
        session.feed.append(line, at: event.moment)
        session.feed.end(socket, .refused(withoutEvidence), at: event.moment)
    }

    private var withoutEvidence: FeedRefused {
        var refused = self
        refused.evidence = nil
        return refused
    }
}
