import Tokens

/// What a message of the feed holds.
extension Dialect {
    /// Parts that the dialect does not tell, or that a message does not have, are absent.
    package func readFeedMessage(_ text: String) -> FeedMessage {
        let json =
            text.utf8.count <= AnswerBody.sizeLimit ? JSONValue(parsing: Array(text.utf8)) : nil
        func value(_ path: String?) -> JSONValue? {
            path.flatMap { json?.value(at: $0) }
        }
        return FeedMessage(
            id: value(feed?.id)?.displayText.flatMap { $0.utf8.count <= 256 ? $0 : nil },
            seq: value(feed?.seq)?.numberValue.flatMap(Int64.init(exactly:)),
            type: value(feed?.type)?.displayText.map(ServerWords.bounded),
            excerpt: String(text.prefix(512))
        )
    }
}
