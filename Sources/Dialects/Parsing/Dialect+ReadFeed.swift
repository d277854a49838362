package import Tokens

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
            text.utf8.count <= ResponseBody.sizeLimit ? JSONValue(parsing: Array(text.utf8)) : nil
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
