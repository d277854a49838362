/// A frame of the protocol, such as a greeting, which is no message and is not counted as one.
package struct FeedControlReceived: FeedEvent {
    package var socket: Int
    package var type: String?
    package var excerpt: String

    package init(socket: Int, type: String?, excerpt: String) {
        self.socket = socket
        self.type = type
        self.excerpt = excerpt
    }
}

extension FeedControlReceived {
    package static let name = "feedControl"
    package static let summary =
        "A frame of the protocol came, such as a greeting, which is no message."
    package static let fields: [EventField<FeedControlReceived>] = [
        .integer("socket", "The socket's number.") { $0.socket },
        .text("type", "Its type.", isOptional: true) { $0.type },
    ]

    package var line: FeedLine.Event? { .control(self) }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.heardAt = event.moment
        session.feed.append(line, at: event.moment)
    }
}
