import Backend
import Basics

/// A protocol of messages that the sandbox speaks on a WebSocket, with the token in a message.
enum SpokenProtocol: String, Sendable, Hashable, CaseIterable {
    /// `graphql-transport-ws`.
    case graphQL
    case homeAssistant
    /// Phoenix, in the first version of its serializer.
    case phoenix

    /// The path of its feed, after that of the dialect.
    var path: String {
        switch self {
        case .graphQL: "/graphql"
        case .homeAssistant: "/api/websocket"
        case .phoenix: "/socket/websocket"
        }
    }

    /// The time after which the server ends a socket on which the client has said nothing; `nil` for
    /// no limit.
    var idleLimit: Duration? {
        switch self {
        case .graphQL, .homeAssistant: nil
        case .phoenix: .seconds(60)
        }
    }
}

/// The server's side of a conversation on one socket.
///
/// It reads what the client says, and tells what follows; whether a token is valid is answered by
/// `judged`.
struct SpokenFeed: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        case send(String)
        /// The client has sent a token, or none where one has to be.
        case judge(AccessToken?)
        case close(FeedClose)
    }

    let spoken: SpokenProtocol
    /// Whether the client has subscribed to the messages of the feed.
    private(set) var isSubscribed = false
    private var isAuthenticated = false
    /// The id, or the topic, of the subscription.
    private var subscription = JSONValue.null
    /// What the answer to the token refers to.
    private var reference = JSONValue.null
    private var lastID: Int64 = 0

    init(_ spoken: SpokenProtocol) {
        self.spoken = spoken
    }

    /// What the server says first.
    var greeting: String? {
        guard spoken == .homeAssistant else { return nil }
        return Self.text(["type": "auth_required", "ha_version": "2026.1.0"])
    }

    mutating func heard(_ text: String) -> [Action] {
        guard let message = JSONValue(parsing: Array(text.utf8)), case .object = message else {
            return [.close(FeedClose(code: 4400, reason: "Invalid message"))]
        }
        switch spoken {
        case .graphQL: return graphQL(message)
        case .homeAssistant: return homeAssistant(message)
        case .phoenix: return phoenix(message)
        }
    }

    /// Answers a token.
    ///
    /// - Parameter refusal: Why it is refused, or `nil` if it is accepted.
    /// - Returns: What follows.
    mutating func judged(_ refusal: String?) -> [Action] {
        let wasAuthenticated = isAuthenticated
        isAuthenticated = refusal == nil
        switch (spoken, refusal) {
        case (.graphQL, nil): return [.send(Self.text(["type": "connection_ack"]))]
        case (.graphQL, _): return [.close(FeedClose(code: 4403, reason: "Forbidden"))]
        case (.homeAssistant, nil): return [.send(Self.text(["type": "auth_ok"]))]
        case (.homeAssistant, let refusal?):
            return [
                .send(Self.text(["type": "auth_invalid", "message": .string(refusal)])),
                .close(FeedClose(code: 1000, reason: "")),
            ]
        case (.phoenix, nil):
            isSubscribed = true
            return wasAuthenticated ? [] : [.send(reply("ok", [:]))]
        case (.phoenix, let refusal?):
            isSubscribed = false
            guard wasAuthenticated else {
                return [.send(reply("error", ["reason": .string(refusal)]))]
            }
            return [
                .send(event("system", ["status": "error", "message": .string(refusal)])),
                .send(event("phx_close", [:])),
            ]
        }
    }

    /// Returns a message of the feed as the protocol carries it.
    func carrying(_ text: String) -> String {
        let data = JSONValue(parsing: Array(text.utf8)) ?? .string(text)
        return switch spoken {
        case .graphQL:
            Self.text([
                "id": subscription, "type": "next", "payload": .object(["data": data]),
            ])
        case .homeAssistant:
            Self.text([
                "id": subscription, "type": "event",
                "event": .object(["event_type": "message", "data": data]),
            ])
        case .phoenix: event("message", data)
        }
    }

    // MARK: - GraphQL

    private mutating func graphQL(_ message: JSONValue) -> [Action] {
        switch message["type"]?.stringValue {
        case "connection_init":
            guard !isAuthenticated else {
                let reason = "Too many initialisation requests"
                return [.close(FeedClose(code: 4429, reason: reason))]
            }
            let header = message.value(at: "payload.Authorization")?.stringValue
            return [.judge(header?.part(after: "Bearer ").map { AccessToken(Secret(String($0))) })]
        case "subscribe":
            guard isAuthenticated else {
                return [.close(FeedClose(code: 4401, reason: "Unauthorized"))]
            }
            subscription = message["id"] ?? .null
            isSubscribed = true
            return []
        case "complete":
            isSubscribed = false
            return []
        case "ping": return [.send(Self.text(["type": "pong"]))]
        case "pong": return []
        default: return [.close(FeedClose(code: 4400, reason: "Invalid message"))]
        }
    }

    // MARK: - Home Assistant

    private mutating func homeAssistant(_ message: JSONValue) -> [Action] {
        guard isAuthenticated else {
            guard message["type"]?.stringValue == "auth" else {
                return judged("Auth message incorrectly formatted")
            }
            return [.judge(Self.token(in: message, at: "access_token"))]
        }
        guard case .integer(let id)? = message["id"], id > lastID else {
            return [
                .send(
                    Self.text([
                        "id": message["id"] ?? .null, "type": "result", "success": false,
                        "error": .object(["code": "id_reuse"]),
                    ])
                )
            ]
        }
        lastID = id
        switch message["type"]?.stringValue {
        case "subscribe_events":
            subscription = .integer(id)
            isSubscribed = true
            return [
                .send(
                    Self.text([
                        "id": .integer(id), "type": "result", "success": true, "result": .null,
                    ])
                )
            ]
        case "ping": return [.send(Self.text(["id": .integer(id), "type": "pong"]))]
        default:
            return [
                .send(
                    Self.text([
                        "id": .integer(id), "type": "result", "success": false,
                        "error": .object(["code": "unknown_command"]),
                    ])
                )
            ]
        }
    }

    // MARK: - Phoenix

    private mutating func phoenix(_ message: JSONValue) -> [Action] {
        let topic = message["topic"] ?? .null
        reference = message["ref"] ?? .null
        switch message["event"]?.stringValue {
        case "heartbeat":
            return [.send(reply("ok", [:], topic: "phoenix"))]
        case "phx_join":
            subscription = topic
            return [.judge(Self.token(in: message, at: "payload.access_token"))]
        case "access_token" where topic == subscription:
            return [.judge(Self.token(in: message, at: "payload.access_token"))]
        case "phx_leave":
            isSubscribed = false
            return [.send(reply("ok", [:])), .send(event("phx_close", [:]))]
        default:
            return [.send(reply("error", ["reason": "unmatched topic"], topic: topic))]
        }
    }

    private func reply(
        _ status: String,
        _ response: [String: JSONValue],
        topic: JSONValue? = nil
    ) -> String {
        Self.text([
            "topic": topic ?? subscription, "event": "phx_reply", "ref": reference,
            "payload": .object(["status": .string(status), "response": .object(response)]),
        ])
    }

    private func event(_ name: String, _ payload: [String: JSONValue]) -> String {
        event(name, .object(payload))
    }

    private func event(_ name: String, _ payload: JSONValue) -> String {
        Self.text([
            "topic": subscription, "event": .string(name), "payload": payload, "ref": .null,
        ])
    }

    private static func token(in message: JSONValue, at path: String) -> AccessToken? {
        message.value(at: path)?.stringValue.map { AccessToken(Secret($0)) }
    }

    private static func text(_ members: [String: JSONValue]) -> String {
        JSONValue.object(members).serialized
    }
}
