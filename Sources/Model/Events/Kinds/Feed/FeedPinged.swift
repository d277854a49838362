import Basics

/// A ping was answered.
package struct FeedPinged: FeedEvent {
    var socket: Int
    var roundTrip: Duration
    /// The compressed traffic so far, if messages are compressed.
    var traffic: FeedTraffic?

    package init(socket: Int, roundTrip: Duration, traffic: FeedTraffic? = nil) {
        self.socket = socket
        self.roundTrip = roundTrip
        self.traffic = traffic
    }
}

extension FeedPinged {
    package static let name = "feedPing"
    package static let summary = "A ping was answered."
    package static let fields: [EventField<FeedPinged>] = [
        .integer("socket", "The socket's number.") { $0.socket },
        .fineSeconds("rtt", "From the ping to the pong.") { $0.roundTrip.inSeconds },
        .integer(
            "receivedBytes",
            "The compressed messages of the socket so far, as they came.",
            isOptional: true
        ) { $0.traffic?.received },
        .integer(
            "contentBytes",
            "What they contained.",
            isOptional: true
        ) { $0.traffic?.content },
    ]

    package var level: EventLevel { .trace }
    package var line: FeedLine.Event? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.lastPing = roundTrip
        session.feed.heardAt = event.moment
        if let traffic { session.feed.sockets.change(socket) { $0.traffic = traffic } }
    }
}

/// The compressed messages of a socket so far, in bytes.
package struct FeedTraffic: Sendable, Hashable, Codable {
    /// As they came.
    package var received: Int
    /// The number of bytes of their content.
    package var content: Int

    package init(received: Int, content: Int) {
        self.received = received
        self.content = content
    }
}
