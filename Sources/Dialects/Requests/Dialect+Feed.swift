package import Tokens

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
