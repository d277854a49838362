package import Basics

/// The request that opens the feed, relative to the base URL.
///
/// It contains a token, so its description omits that.
package struct FeedRequest: Sendable, Hashable {
    /// The scheme (`http` or `https`), host and port, or `nil` for those of the base URL.
    package var origin: String?
    package var kind: FeedKind
    /// The path and the percent-encoded query, beginning with a slash.
    package var target: String
    package var headers: [WireHeader]
    package var subprotocols: [String]
    /// The messages to send as soon as the socket is open, if the token is sent in a message.
    package var greetings: [String]
    /// The target with the token replaced by `{token}`, which may be shown.
    package var shownTarget: String
    /// Why it must not be sent, or `nil` if it may be.
    package var problem: RequestProblem?
    /// The proof of the upgrade; `nil` for none.
    package var proof: ProofOfPossession?
    /// What is asked before the socket is opened; `nil` for nothing.
    package var negotiation: FeedNegotiation?
    /// What the answers before it have given the client, which a server may repeat.
    package internal(set) var secrets: [Secret] = []

    init(
        origin: String? = nil,
        kind: FeedKind = .webSocket,
        target: String,
        headers: [WireHeader] = [],
        subprotocols: [String] = [],
        greetings: [String] = [],
        shownTarget: String
    ) {
        self.origin = origin
        self.kind = kind
        self.target = target
        self.headers = headers
        self.subprotocols = subprotocols
        self.greetings = greetings
        self.shownTarget = shownTarget
    }
}

extension FeedRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { shownTarget }
    package var customMirror: Mirror { Mirror(self, children: ["target": shownTarget]) }
}

/// One text message of the feed, with the parts that the dialect defines.
package struct FeedMessage: Sendable, Hashable {
    /// The id as it is shown.
    package var id: String?
    /// The backend's id, or `nil` if it is the one that is shown.
    var exactID: Secret?
    package var seq: Int64?
    package var type: String?
    /// Whether it is a frame of the protocol, such as a greeting, and no message.
    package var isControl: Bool
    /// The indices of the expectations of the feed's script that it meets.
    package var meets: [Int]
    /// The message's text, at most 512 characters; untrusted, and not safe for a terminal yet.
    package var excerpt: String

    package init(
        id: String?,
        exactID: Secret? = nil,
        seq: Int64?,
        type: String?,
        isControl: Bool = false,
        meets: [Int] = [],
        excerpt: String
    ) {
        self.id = id
        self.exactID = exactID
        self.seq = seq
        self.type = type
        self.isControl = isControl
        self.meets = meets
        self.excerpt = excerpt
    }

    /// The backend's id.
    package var wireID: String? { exactID?.reveal() ?? id }

    /// The longest id of an event that is sent back.
    private static let longestEventID = 4096

    /// Returns the message as an event of a stream, whose lines name its id and its type.
    ///
    /// An id that cannot be sent in `Last-Event-ID` counts as none.
    ///
    /// - Parameters:
    ///   - id: The id of the event.
    ///   - type: The type of the event, which applies unless the data contain one.
    ///   - secrets: The secrets that the server may repeat.
    /// - Returns: The message.
    package func streamed(
        id: String?,
        type: String?,
        hiding secrets: KnownSecrets
    ) -> FeedMessage {
        var message = self
        if let id = id.flatMap(Self.position) {
            let shown = secrets.hiding(in: id, limit: 256)
            message.id = shown
            message.exactID = id == shown ? nil : Secret(id)
        }
        if let type, message.type == nil {
            message.type = ServerMessage.bounded(type, hiding: secrets)
        }
        return message
    }

    /// Returns the id after which a stream can be resumed, or `nil` if it cannot be sent.
    package static func position(_ id: String) -> String? {
        let isSendable =
            !id.isEmpty && id.utf8.count <= longestEventID
            && id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return isSendable ? id : nil
    }

    /// Returns what identifies a message of a stream: unlike that of a message, the id of an event
    /// is a position, which several may share.
    package func streamKey(of text: String) -> String {
        guard let id = wireID else { return key(of: text) }
        return "id \(id) \(contentDigest(of: text))"
    }

    /// Returns what identifies a message: its `id`, else its number among those of its type, else
    /// its content.
    ///
    /// A greeting may repeat the number of the last message, and is none the less no duplicate.
    package func key(of text: String) -> String {
        if let id = wireID { return "id \(id)" }
        if let seq { return "seq \(seq) \(type ?? "")" }
        return contentDigest(of: text)
    }
}

/// Parsing of the feed's messages.
extension Dialect {
    /// Parses a message; parts that the dialect does not define, or that the message does not have,
    /// are `nil`.
    ///
    /// - Parameters:
    ///   - text: The whole message.
    ///   - secrets: The secrets that the server may repeat.
    /// - Returns: The message, without secrets.
    package func readFeedMessage(
        _ text: String,
        hiding secrets: KnownSecrets = .none
    ) -> FeedMessage {
        let json =
            text.utf8.count <= WireResponse.bodyLimit ? JSONValue(parsing: Array(text.utf8)) : nil
        func value(_ path: String?) -> JSONValue? {
            path.flatMap { json?.value(at: $0) }
        }
        let id = value(feed?.id)?.displayText.flatMap { $0.utf8.count <= 256 ? $0 : nil }
        let shownID = id.map(secrets.hiding(in:))
        let expected = feedScript.expectations
        let meets = expected.indices.filter { expected[$0].isMet(by: text, json) }
        return FeedMessage(
            id: shownID,
            exactID: id == shownID ? nil : id.map(Secret.init),
            seq: value(feed?.seq)?.numberValue.flatMap(Int64.init(exactly:)),
            type: value(feed?.type)?.displayText
                .map { ServerMessage.bounded($0, hiding: secrets) },
            isControl: !meets.isEmpty
                || json.map { json in
                    feed?.control.contains { $0.matches(json) } ?? false
                } ?? false,
            meets: meets,
            excerpt: secrets.hiding(in: text, limit: 512)
        )
    }

    /// Returns the reason of a close frame without secrets.
    ///
    /// A frame holds 123 bytes of it (RFC 6455 section 5.5), so that a token that the server repeats is
    /// often cut: it is hidden for its looks.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - secrets: The secrets that the server may repeat.
    /// - Returns: The reason, on one line.
    package func readCloseReason(_ reason: String, hiding secrets: KnownSecrets) -> String {
        UnknownSecrets(known: secrets, names: recognition.secrets)
            .hiding(in: reason, limit: 123).text
    }
}
