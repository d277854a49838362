package import Basics

/// The feed is in another state.
package struct FeedStateChanged: FeedEvent {
    package var state: FeedState

    package init(_ state: FeedState) {
        self.state = state
    }

    private enum CodingKeys: String, CodingKey {
        case state = "_0"
    }
}

extension FeedStateChanged {
    package static let name = "feedStateChanged"
    package static let summary = "The feed is in another state."
    package static let fields: [EventField<FeedStateChanged>] = [
        .text("to", "The state now.") { $0.state.name },
        .integer("old", "The socket that still serves.", isOptional: true) {
            if case .rotating(let old, _, _) = $0.state { old } else { nil }
        },
        .integer("socket", "The socket's number.", isOptional: true) { $0.state.socket?.number },
        .integer("usedGeneration", "Whose access token it uses.", isOptional: true) {
            $0.state.socket?.generation
        },
        .integer("attempt", "Dials that failed in a row.", isOptional: true) {
            if case .backoff(let attempt, _, _) = $0.state { attempt } else { nil }
        },
        .integer(
            "status",
            "The HTTP status of a refusal or, from 1000 on, the close code.",
            isOptional: true
        ) {
            if case .refused(let status, _) = $0.state { status } else { nil }
        },
        .time("nextAt", "When it is dialed again.", isOptional: true) {
            switch $0.state {
            case .backoff(_, let nextAt, _), .refused(_, let nextAt): nextAt
            default: nil
            }
        },
        .choice("cause", "Why it waits or stopped.", isOptional: true) {
            (event: FeedStateChanged) -> FeedCause.Code? in
            switch event.state {
            case .backoff(_, _, let why), .stopped(let why): why.code
            default: nil
            }
        },
        .sentence("why", "Why it waits or stopped, for users.", isOptional: true) {
            switch $0.state {
            case .backoff(_, _, let why): $1.text(why)
            case .stopped(let why): $1.text(stopping: why)
            default: nil
            }
        },
    ]

    package static let isLasting = true
    package var line: FeedLine.Event? {
        if case .stopped(let why) = state { .stopped(why) } else { nil }
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.state = state
        session.feed.append(line, at: event.moment)
        session.feed.endOthers(than: state, at: event.moment)
    }
}

/// The state of the feed.
package enum FeedState: Sendable, Hashable, Codable {
    /// There is no session, or the dialect has no feed.
    case idle
    case dialing(socket: Int, generation: Int)
    case open(socket: Int, generation: Int, since: Instant)
    /// The new socket is being opened while the old one still serves.
    case rotating(old: Int, new: Int, generation: Int)
    /// Closed or unreachable; dialed again at `nextAt`.
    case backoff(attempt: Int, nextAt: Instant, why: FeedCause)
    /// Refused with a fresh token, or closed at once; dialed again at `nextAt`. `status` is that of
    /// the upgrade or, from 1000 on, the close code.
    case refused(status: Int, nextAt: Instant)
    case stopped(why: FeedCause)
}

extension FeedState {
    /// The state's name, as the field `to` of an event has it.
    var name: String {
        switch self {
        case .idle: "idle"
        case .dialing: "dialing"
        case .open: "open"
        case .rotating: "rotating"
        case .backoff: "backoff"
        case .refused: "refused"
        case .stopped: "stopped"
        }
    }

    /// The newest socket, and whose access token it uses.
    fileprivate var socket: (number: Int, generation: Int)? {
        switch self {
        case .dialing(let socket, let generation), .open(let socket, let generation, _):
            (socket, generation)
        case .rotating(_, let new, let generation): (new, generation)
        case .idle, .backoff, .refused, .stopped: nil
        }
    }
}
