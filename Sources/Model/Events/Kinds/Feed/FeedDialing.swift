/// A socket is being opened.
package struct FeedDialing: FeedEvent {
    var socket: Int
    var generation: Int
    /// With the token replaced by its fingerprint.
    var target: String

    package init(socket: Int, generation: Int, target: String) {
        self.socket = socket
        self.generation = generation
        self.target = target
    }
}

extension FeedDialing {
    package static let name = "feedDialing"
    package static let summary = "A socket is being opened."
    package static let fields: [EventField<FeedDialing>] = [
        .integer("socket", "Its number.") { $0.socket },
        .integer("usedGeneration", "Whose access token it uses.") { $0.generation },
        .text("url", "Where; a fingerprint stands for the token.") { $0.target },
    ]

    package static let isLasting = true
    package var line: FeedLine.Event? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.recordDial(of: socket, to: target)
        session.feed.recordDial(
            of: socket,
            generation: generation,
            login: event.login,
            at: event.moment
        )
    }
}
