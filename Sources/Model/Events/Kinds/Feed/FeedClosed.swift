/// A socket is closed.
package struct FeedClosed: FeedEvent {
    package var socket: Int
    package var code: Int
    package var by: FeedCloser
    package var reason: String

    package init(socket: Int, code: Int, by: FeedCloser, reason: String) {
        self.socket = socket
        self.code = code
        self.by = by
        self.reason = reason
    }
}

extension FeedClosed {
    package static let name = "feedClosed"
    package static let summary = "A socket is closed."
    package static let fields: [EventField<FeedClosed>] = [
        .integer("socket", "Its number.") { $0.socket },
        .integer("code", "The close code (RFC 6455, section 7.4).") { $0.code },
        .choice("by", "Who closed it.") { $0.by },
        .text("reason", "The reason that the close frame gives.") { $0.reason },
    ]

    package var line: FeedLine.Event? { .closed(self) }
    package var kept: (any EventKind)? { by == .us ? nil : self }
    package var tone: EventTone { .warning }
    package var lifelineMark: LifelineMark? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        // The end of every switch, and no news, whether or not the server answered our close.
        if socket != session.feed.retired || by != .us {
            session.feed.append(line, at: event.moment)
        }
        session.feed.end(socket, .closed(self), at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        if by != .us { statistics.feed.drops += 1 }
    }
}

package enum FeedCloser: String, Sendable, Hashable, Codable, CaseIterable {
    case us
    case peer
    case transport
}
