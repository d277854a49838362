package import Tokens

/// How to dial the feed, relative to the base URL.
///
/// It carries a token, so its description is without it.
package struct FeedRequest: Sendable, Hashable {
    /// Begins with a slash; includes the query, percent-encoded.
    package var target: String
    package var headers: [WireHeader]
    package var subprotocols: [String]
    /// Sent as text as soon as the socket is open, where the token goes in a message.
    package var firstMessage: String?
    /// `target` with the token replaced by `{token}`: what may be shown.
    package var shownTarget: String

    package init(
        target: String,
        headers: [WireHeader] = [],
        subprotocols: [String] = [],
        firstMessage: String? = nil,
        shownTarget: String
    ) {
        self.target = target
        self.headers = headers
        self.subprotocols = subprotocols
        self.firstMessage = firstMessage
        self.shownTarget = shownTarget
    }
}

extension FeedRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { shownTarget }
    package var customMirror: Mirror { Mirror(self, children: ["target": shownTarget]) }
}

/// One text frame of the feed, as far as the dialect tells its parts.
package struct FeedMessage: Sendable, Hashable {
    /// As it is shown.
    package var id: String?
    /// What the backend calls it, or `nil` if that is what is shown.
    package var exactID: Secret?
    package var seq: Int64?
    package var type: String?
    /// The frame's text, at most 512 characters of it; a server's data, not fit for a terminal yet.
    package var excerpt: String

    package init(
        id: String?,
        exactID: Secret? = nil,
        seq: Int64?,
        type: String?,
        excerpt: String
    ) {
        self.id = id
        self.exactID = exactID
        self.seq = seq
        self.type = type
        self.excerpt = excerpt
    }

    /// What the backend calls it.
    package var wireID: String? { exactID?.reveal() ?? id }
}

/// What a message of the feed holds.
extension Dialect {
    /// Parts that the dialect does not tell, or that a message does not have, are absent.
    ///
    /// - Parameters:
    ///   - text: The whole message.
    ///   - secrets: What the server may repeat.
    /// - Returns: Its parts, without a secret.
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
        return FeedMessage(
            id: shownID,
            exactID: id == shownID ? nil : id.map(Secret.init),
            seq: value(feed?.seq)?.numberValue.flatMap(Int64.init(exactly:)),
            type: value(feed?.type)?.displayText
                .map { ServerMessage.bounded($0, hiding: secrets) },
            excerpt: secrets.hiding(in: text, limit: 512)
        )
    }
}
