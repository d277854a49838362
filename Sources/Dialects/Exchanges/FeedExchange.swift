package import Tokens

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

/// How the feed is dialled.
extension Dialect {
    /// Asks for what came after the message `since` where the feed can resume, or `nil` if there is
    /// no feed.
    ///
    /// - Parameters:
    ///   - token: Opens it.
    ///   - since: What the backend calls the last message.
    ///   - secrets: What is not shown of that.
    /// - Returns: The request.
    package func feedRequest(
        _ token: AccessToken,
        since: String?,
        hiding secrets: KnownSecrets = .none
    ) -> FeedRequest? {
        guard let feed else { return nil }
        let secret = token.secret.reveal()
        var asked: [(name: String, value: String)] = []
        var shown: [String] = []
        var request = FeedRequest(target: feed.path, shownTarget: feed.path)
        switch feed.place {
        case .request(.query(let name)):
            asked.append((name, secret))
            shown.append("\(PercentEncoding.encode(name))={token}")
        case .request(let place):
            let shape = RequestShape(method: "GET", path: feed.path)
            request.headers = shape.filled(tokens: [(place, token.secret)]).headers
        case .subprotocol(let prefix):
            request.subprotocols = feed.subprotocols + [prefix + secret]
        case .firstMessage(let template):
            request.firstMessage = Self.message(template, token: secret)
        }
        if let name = feed.since, let since {
            asked.append((name, since))
            let mark = secrets.hiding(in: since)
            shown.append(
                mark == since
                    ? FormEncoding.encode([(name, since)])
                    : "\(PercentEncoding.encode(name))=\(mark.inOneLine(limit: 200))"
            )
        }
        request.target = feed.query.target(
            feed.path,
            and: asked.isEmpty ? [] : [FormEncoding.encode(asked)]
        )
        request.shownTarget = feed.query.target(feed.path, and: shown)
        return request
    }

    /// What goes over an open socket to change its token, or `nil` unless the feed switches by
    /// message.
    package func feedSwitchMessage(_ token: AccessToken) -> String? {
        guard case .message(let template) = feedSwitch else { return nil }
        return Self.message(template, token: token.secret.reveal())
    }

    /// The token is escaped as inside a JSON string; a token without quotes stays as it is.
    private static func message(_ template: String, token: String) -> String {
        PlaceholderText(template).filled { $0 == "access" ? JSONText.escaped(token) : nil }
    }
}
