import Basics

/// A protocol of messages on a WebSocket that a profile names as the kind of its feed.
///
/// It is a part of the table `[feed]`: what the profile says itself comes before it, and its
/// messages and expectations are added to those of the protocol.
struct FeedConversation {
    let table: SchemaTable

    /// The text of each file, by the name of the kind.
    static let sources: [String: String] = [
        "actioncable": PackageResources.actioncable_toml,
        "graphql-transport-ws": PackageResources.graphql_transport_ws_toml,
        "home-assistant": PackageResources.home_assistant_toml,
        "phoenix": PackageResources.phoenix_toml,
        "signalr": PackageResources.signalr_toml,
        "socket.io": PackageResources.socketio_toml,
        "stomp": PackageResources.stomp_toml,
    ].mapValues { String(decoding: $0, as: UTF8.self) }

    static let names = sources.keys.sorted()

    /// Fails if the kind of a feed is none; `nil` if it is not a conversation.
    init?(in feed: SchemaTable) throws(DialectError) {
        guard let name = try feed.string("kind"), FeedKind(rawValue: name) == nil else {
            return nil
        }
        guard let text = Self.sources[name] else {
            let known = FeedKind.allCases.map(\.rawValue) + Self.names
            let expected = "expected one of \(known.joined(separator: ", "))"
            throw feed.error(at: "kind", "found \(name.quotedForError)", expected)
        }
        let file = try TOMLItem.reading(text, file: "feed \(name)")
        table = try SchemaTable(file, keys: FeedExchange.keys.filter { $0 != "kind" })
    }
}
