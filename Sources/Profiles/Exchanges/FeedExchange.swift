package import Basics

/// The protocol of a feed.
package enum FeedKind: String, Sendable, Hashable, Codable, CaseIterable {
    case webSocket = "websocket"
    /// Server-sent events (WHATWG HTML, section 9.2).
    case eventStream = "sse"
}

/// The request that opens the feed, and the locations of the parts of its messages.
struct FeedExchange: Sendable, Hashable {
    /// The place of the access token when the feed is opened.
    enum Place: Sendable, Hashable {
        case request(TokenLocation)
        /// The last of the offered subprotocols, with a prefix.
        case subprotocol(prefix: String)
        /// A message on the open socket: one that the script says.
        case message
    }

    var kind = FeedKind.webSocket
    /// The origin of the feed as `http://` or `https://`, or `nil` for that of the base URL.
    var origin: String?
    var path: String
    var query = FixedQuery.none
    var place: Place
    /// The fixed headers of the upgrade, which may send captured values again.
    var headers: [WireHeader] = []
    /// The captures that it sends again.
    var captures: [Capture] = []
    /// The subprotocols that are offered, before the token's own if the token is one.
    var subprotocols: [String] = []
    /// The name of the query parameter that requests the messages after a given one.
    var since: String?
    /// The key path of a message's id.
    var id: String?
    /// The key path of a message's number, which increases by one.
    var seq: String?
    /// The key path of a message's type.
    var type: String?
    /// The marks of a frame of the protocol, such as a greeting, that is no message.
    var control: [ResponseRule] = []
    /// The answers to its opening by which the backend refuses the access token, or says what no renewal
    /// changes.
    var refused: [ResponseRule] = []
    var change = FeedSwitch.overlap
    /// What is said on an open socket, and what is expected.
    var script = FeedScript.silent
    /// What the placeholders of the script that the profile itself fills stand for.
    var values: [String: String] = [:]
    /// The ASCII character at the end of each message, of which a frame may bring several; `nil` for
    /// one message in a frame.
    var separator: Unicode.Scalar?
    /// The seconds without a byte after which an event stream is lost, or `nil` for no limit.
    var silenceLimit: Double?
    /// The request that precedes each dial, or `nil` for none.
    var negotiation: NegotiationExchange?
}

extension FeedExchange {
    /// The origin with the scheme of its kind, or empty for that of the base URL.
    var shownOrigin: String {
        guard let origin else { return "" }
        return kind == .webSocket ? "ws" + origin.dropFirst("http".count) : origin
    }

    /// Whether a dial can request the messages that follow a given one.
    var resumes: Bool { kind == .eventStream || since != nil }

    /// The feed of the sandbox, for a dialect without one.
    static let sandbox = FeedExchange(
        path: "/ws/feed",
        place: .request(.query("token")),
        since: "since",
        id: "id",
        seq: "seq",
        type: "type"
    )

    /// The same as an event stream.
    static let sandboxStream = FeedExchange(
        kind: .eventStream,
        path: "/events",
        place: sandbox.place,
        seq: sandbox.seq
    )
}

/// The request that opens the feed.
extension Dialect {
    /// Returns the request that opens the feed, or `nil` if there is none.
    ///
    /// If the feed can resume, it requests the messages after `since`.
    ///
    /// - Parameters:
    ///   - token: The access token.
    ///   - since: The backend's id of the last message.
    ///   - captured: The captured values.
    ///   - secrets: The secrets to hide in that id when it is shown.
    /// - Returns: The request.
    package func feedRequest(
        _ token: AccessToken,
        since: String?,
        captured: CapturedValues = .none,
        hiding secrets: KnownSecrets = .none
    ) -> FeedRequest? {
        guard let feed else { return nil }
        let secret = token.secret.reveal()
        var asked: [(name: String, value: String)] = []
        var shown: [String] = []
        var request = FeedRequest(
            origin: feed.origin,
            kind: feed.kind,
            target: feed.path,
            subprotocols: feed.subprotocols,
            shownTarget: feed.path
        )
        var tokens: [(place: TokenLocation, secret: Secret)] = []
        switch feed.place {
        case .request(.query(let name)):
            asked.append((name, secret))
            shown.append("\(PercentEncoding.encode(name))={token}")
        case .request(let place): tokens = [(place, token.secret)]
        case .subprotocol(let prefix):
            request.subprotocols.append(prefix + secret)
        case .message:
            request.greetings = greetings(token, captured: captured)
        }
        let shape = RequestShape(
            method: "GET",
            path: feed.path,
            headers: feed.headers,
            captures: feed.captures,
            proof: bindsTokens ? .withToken : nil
        )
        let upgrade = shape.filled(captured: captured, tokens: tokens)
        request.headers = upgrade.headers
        if feed.kind == .eventStream {
            request.headers.append(WireHeader("Accept", "text/event-stream"))
            request.headers.append(WireHeader("Cache-Control", "no-store"))
            if let since { request.headers.append(WireHeader("Last-Event-ID", since)) }
        }
        request.problem = upgrade.problem
        if let name = feed.since, let since {
            asked.append((name, since))
            let mark = secrets.hiding(in: since)
            shown.append(
                mark == since
                    ? FormEncoding.encode([(name, since)])
                    : "\(PercentEncoding.encode(name))=\(mark.inOneLine(limit: 200))"
            )
        }
        if bindsTokens { request.proof = ProofOfPossession(access: token) }
        request.negotiation = feed.negotiation
            .map { FeedNegotiation($0, of: feed, token: token.secret, captured: captured) }
        request.target = feed.query.target(
            feed.path,
            and: asked.isEmpty ? [] : [FormEncoding.encode(asked)]
        )
        request.shownTarget = feed.shownOrigin + feed.query.target(feed.path, and: shown)
        return request
    }

    /// Returns what is said on a socket as soon as it is open, for a client that says no more: also
    /// the token, where a client of the protocol waits for a greeting before.
    private func greetings(_ token: AccessToken, captured: CapturedValues) -> [String] {
        let script = feedScript
        let first = script.says.indices.filter { index in
            switch script.says[index].occasion {
            case .opening: true
            case .after: script.says[index].hasToken
            case .renewal, .interval: false
            }
        }
        return first.enumerated()
            .compactMap { index, say in
                let saying = FeedSaying(say: say, number: index + 1)
                return feedText(saying, token: token, captured: captured)
            }
    }
}
