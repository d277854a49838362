import Basics
import Profiles

/// The feed; a socket is numbered from 1 over the run.
extension EventSchema {
    static let feed = list {
        EventDefinition(
            "feedDialing",
            "A socket is being opened.",
            { kind -> (socket: Int, generation: Int, target: String)? in
                if case .feed(.dialing(let socket, let generation, let target)) = kind {
                    (socket, generation, target)
                } else {
                    nil
                }
            },
            [
                .integer("socket", "Its number.") { $0.socket },
                .integer("usedGeneration", "Whose access token it uses.") { $0.generation },
                .text("url", "Where; a fingerprint stands for the token.") { $0.target },
            ]
        )
        EventDefinition(
            "feedOpened",
            "A socket is open.",
            { kind -> (socket: Int, generation: Int, after: Duration)? in
                if case .feed(.opened(let socket, let generation, let after)) = kind {
                    (socket, generation, after)
                } else {
                    nil
                }
            },
            [
                .integer("socket", "Its number.") { $0.socket },
                .integer("usedGeneration", "Whose access token it uses.") { $0.generation },
                .milliseconds("ms", "How long opening it took.") { $0.after.inSeconds },
            ]
        )
        EventDefinition(
            "feedSwitched",
            "A newer socket serves the feed from now on.",
            { kind -> SwitchedFeed? in
                if case .feed(.switched(let from, let to, let duplicates, let gap, let after)) =
                    kind
                {
                    SwitchedFeed(
                        from: from,
                        to: to,
                        duplicates: duplicates,
                        gap: gap,
                        after: after
                    )
                } else {
                    nil
                }
            },
            [
                .integer("from", "The old socket.") { $0.from },
                .integer("to", "The new one.") { $0.to },
                .integer("duplicates", "Messages that came on both.") { $0.duplicates },
                .integer("gap", "Messages that are missing between the two.") { $0.gap },
                .milliseconds("ms", "How long the change took.") { $0.after.inSeconds },
            ]
        )
        EventDefinition(
            "feedClosed",
            "A socket is closed.",
            { kind -> (socket: Int, code: Int, by: FeedCloser, reason: String)? in
                if case .feed(.closed(let socket, let code, let by, let reason)) = kind {
                    (socket, code, by, reason)
                } else {
                    nil
                }
            },
            [
                .integer("socket", "Its number.") { $0.socket },
                .integer("code", "The close code (RFC 6455, section 7.4).") { $0.code },
                .choice("by", "Who closed it.") { $0.by },
                .text("reason", "The reason that the close frame gives.") { $0.reason },
            ]
        )
        EventDefinition(
            "feedRefused",
            "The upgrade to a WebSocket was answered with another status than 101.",
            { kind -> (socket: Int, status: Int, evidence: ResponseEvidence?)? in
                if case .feed(.refused(let socket, let status, let evidence)) = kind {
                    (socket, status, evidence)
                } else {
                    nil
                }
            },
            [
                .integer("socket", "Its number.") { $0.socket },
                .integer("status", "The HTTP status.") { $0.status },
            ] + appearance { $0.evidence }
        )
        EventDefinition(
            "feedFailed",
            "A socket was not opened, and no answer said why.",
            { kind -> (socket: Int, why: FeedCause)? in
                if case .feed(.failed(let socket, let why)) = kind {
                    (socket, why)
                } else {
                    nil
                }
            },
            [
                .integer("socket", "Its number.") { $0.socket },
                .choice("cause", "Why.") { $0.why.code },
                .sentence("message", "Why, for a person.") { $1.text($0.why) },
            ]
        )
        EventDefinition(
            "feedMessage",
            "A message came.",
            { kind -> FeedMessageFacts? in
                if case .feed(.message(let socket, let id, let seq, let type, _, let isDuplicate)) =
                    kind
                {
                    FeedMessageFacts(
                        socket: socket,
                        id: id,
                        seq: seq,
                        type: type,
                        isDuplicate: isDuplicate
                    )
                } else {
                    nil
                }
            },
            [
                .integer("socket", "The socket's number.") { $0.socket },
                .text("id", "Its id.", isOptional: true) { $0.id },
                .integer("seq", "Its number.", isOptional: true) { $0.seq.map { Int($0) } },
                .text("type", "Its type.", isOptional: true) { $0.type },
                .flag("duplicate", "It came before, and is not applied again.", isOptional: true) {
                    $0.isDuplicate ? true : nil
                },
            ]
        )
        EventDefinition(
            "feedMissing",
            "Messages of an open socket are missing, by their numbers; they may still come.",
            { kind -> (socket: Int, after: Int64, before: Int64)? in
                if case .feed(.missing(let socket, let after, let before)) = kind {
                    (socket, after, before)
                } else {
                    nil
                }
            },
            [
                .integer("socket", "The socket's number.") { $0.socket },
                .integer("after", "The number of the last message before them.") { Int($0.after) },
                .integer("before", "The number of the first one after them.") { Int($0.before) },
            ]
        )
        EventDefinition(
            "feedControl",
            "A frame of the protocol came, such as a greeting, which is no message.",
            { kind -> (socket: Int, type: String?)? in
                if case .feed(.control(let socket, let type, _)) = kind {
                    (socket, type)
                } else {
                    nil
                }
            },
            [
                .integer("socket", "The socket's number.") { $0.socket },
                .text("type", "Its type.", isOptional: true) { $0.type },
            ]
        )
        EventDefinition(
            "feedPing",
            "A ping was answered.",
            { kind -> (socket: Int, roundTrip: Duration, traffic: FeedTraffic?)? in
                if case .feed(.ping(let socket, let roundTrip, let traffic)) = kind {
                    (socket, roundTrip, traffic)
                } else {
                    nil
                }
            },
            [
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
        )
        EventDefinition(
            "feedStateChanged",
            "The feed is in another state.",
            { kind -> FeedState? in
                if case .feed(.stateChanged(let state)) = kind { state } else { nil }
            },
            [
                .text("to", "The state now.") { $0.name },
                .integer("old", "The socket that still serves.", isOptional: true) {
                    if case .rotating(let old, _, _) = $0 { old } else { nil }
                },
                .integer("socket", "The socket's number.", isOptional: true) { $0.socket?.number },
                .integer("usedGeneration", "Whose access token it uses.", isOptional: true) {
                    $0.socket?.generation
                },
                .integer("attempt", "Dials that failed in a row.", isOptional: true) {
                    if case .backoff(let attempt, _, _) = $0 { attempt } else { nil }
                },
                .integer(
                    "status",
                    "The HTTP status of a refusal or, from 1000 on, the close code.",
                    isOptional: true
                ) {
                    if case .refused(let status, _) = $0 { status } else { nil }
                },
                .time("nextAt", "When it is dialed again.", isOptional: true) {
                    switch $0 {
                    case .backoff(_, let nextAt, _), .refused(_, let nextAt): nextAt
                    default: nil
                    }
                },
                .choice("cause", "Why it waits or stopped.", isOptional: true) {
                    (state: FeedState) -> FeedCause.Code? in
                    switch state {
                    case .backoff(_, _, let why), .stopped(let why): why.code
                    default: nil
                    }
                },
                .sentence("why", "Why it waits or stopped, for a person.", isOptional: true) {
                    switch $0 {
                    case .backoff(_, _, let why): $1.text(why)
                    case .stopped(let why): $1.text(stopping: why)
                    default: nil
                    }
                },
            ]
        )
        EventDefinition(
            "feedAliveAfterLogout",
            "Messages still arrive on a socket after the logout.",
            { kind -> Int? in
                if case .feed(.receivesAfterLogout(let socket)) = kind { socket } else { nil }
            },
            [.integer("socket", "The socket's number.") { $0 }]
        )
    }

    private struct SwitchedFeed: Sendable {
        var from: Int
        var to: Int
        var duplicates: Int
        var gap: Int
        var after: Duration
    }

    private struct FeedMessageFacts: Sendable {
        var socket: Int
        var id: String?
        var seq: Int64?
        var type: String?
        var isDuplicate: Bool
    }
}

extension FeedState {
    /// The state's name, as the field `to` of an event has it.
    package var name: String {
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
