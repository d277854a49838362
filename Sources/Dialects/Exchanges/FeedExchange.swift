/// How the WebSocket feed is dialled and what its messages hold.
struct FeedExchange: Sendable, Hashable {
    /// Where the access token goes when the feed is dialled.
    enum Place: Sendable, Hashable {
        case request(TokenLocation)
        /// The last of the offered subprotocols, behind a prefix.
        case subprotocol(prefix: String)
        /// The first message on the open socket, with `{access}` in it.
        case firstMessage(template: String)
    }

    var path: String
    var query = FixedQuery.none
    var place: Place
    /// Offered in front of the token's own, where the token is a subprotocol.
    var subprotocols: [String] = []
    /// The name of the query item that asks for what came after a message.
    var since: String?
    /// The key path of a message's id.
    var id: String?
    /// The key path of a message's number, counted up by one.
    var seq: String?
    /// The key path of a message's type.
    var type: String?
    var change = FeedSwitch.overlap
}

extension FeedExchange {
    /// The feed of the sandbox, for a dialect whose backend has none.
    static let sandbox = FeedExchange(
        path: "/ws/feed",
        place: .request(.query("token")),
        since: "since",
        id: "id",
        seq: "seq",
        type: "type"
    )
}
