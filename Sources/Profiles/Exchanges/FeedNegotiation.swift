import Basics

/// The request that precedes each dial of a feed: its answer has parameters of the dial, or names
/// another server, with a token of its own, that is asked next.
struct NegotiationExchange: Sendable, Hashable {
    /// A parameter of the dial's query.
    struct Parameter: Sendable, Hashable {
        var name: String
        /// The key paths of its value in the answer, of which the first present one applies.
        var paths: [String]
    }

    /// What follows the feed's path.
    var path: String
    /// The query besides that of the feed's path.
    var query: FixedQuery
    var parameters: [Parameter]
    /// The key path of the other server's URL, which takes the place of the feed's.
    var redirect: String?
    /// The key path of the token for it.
    var redirectToken: String?
}

/// A dial before it is known where the socket is opened, and with which parameters.
///
/// It contains a token, so its description omits that.
package struct FeedNegotiation: Sendable, Hashable {
    /// What follows from an answer.
    package enum Step: Sendable, Hashable {
        case dial(FeedRequest)
        /// Another server is asked; its scheme, host and port.
        case ask(FeedNegotiation, at: String)
        /// The answer is of no use; what it lacks, in words that are not the server's.
        case unusable(String)
    }

    private let exchange: NegotiationExchange
    private let feed: FeedExchange
    /// The token that another server's answer has brought, or `nil` for that of the session.
    private let givenToken: Secret?
    /// What is sent.
    package let request: WireRequest

    init(
        _ exchange: NegotiationExchange,
        of feed: FeedExchange,
        token: Secret,
        captured: CapturedValues = .none
    ) {
        self.init(exchange, of: feed, token: token, captured: captured, givenToken: nil)
    }

    private init(
        _ exchange: NegotiationExchange,
        of feed: FeedExchange,
        token: Secret,
        captured: CapturedValues = .none,
        givenToken: Secret?
    ) {
        self.exchange = exchange
        self.feed = feed
        self.givenToken = givenToken
        request = RequestShape(
            method: "POST",
            origin: feed.origin,
            path: (feed.path.ends(with: "/") ? feed.path.dropLast() : feed.path[...])
                + exchange.path,
            query: FixedQuery(
                [feed.query, exchange.query].map(\.text).filter { !$0.isEmpty }
                    .joined(separator: "&")
            ),
            headers: feed.headers,
            captures: feed.captures
        ).filled(captured: captured, tokens: [(.bearer, token)])
    }

    /// Returns what to do after an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - dial: The dial that this precedes.
    /// - Returns: The next step.
    package func step(after answer: WireResponse, dialing dial: FeedRequest) -> Step {
        let name = "the answer to \(request)"
        guard let body = JSONValue(parsing: answer.body) else {
            return .unusable("\(name) is no JSON")
        }
        if let url = exchange.redirect.flatMap({ body.value(at: $0)?.stringValue }) {
            guard let token = exchange.redirectToken.flatMap({ body.value(at: $0)?.stringValue }),
                !token.isEmpty
            else {
                // The session's own is for the profile's servers alone.
                return .unusable("\(name) names another server without a token for it")
            }
            guard let target = TargetURL(url) else {
                return .unusable("\(name) names another server by what is no URL")
            }
            var other = feed
            (other.path, other.query) = (target.path, target.query)
            (other.origin, other.headers, other.captures) = (nil, [], [])
            let secret = Secret(token)
            return .ask(
                FeedNegotiation(exchange, of: other, token: secret, givenToken: secret),
                at: target.origin
            )
        }
        var asked: [(name: String, value: String)] = []
        for parameter in exchange.parameters {
            let value = parameter.paths.lazy.compactMap { body.value(at: $0)?.stringValue }
                .first { !$0.isEmpty }
            guard let value else {
                return .unusable("\(name) has no \(parameter.paths.joined(separator: " or "))")
            }
            asked.append((parameter.name, value))
        }
        var opened = dial
        if let givenToken {
            opened = feed.dial(with: givenToken)
            opened.secrets.append(givenToken)
        }
        opened.secrets += asked.map { Secret($0.value) }
        opened.negotiation = nil
        opened.target += (opened.target.has("?") ? "&" : "?") + FormEncoding.encode(asked)
        return .dial(opened)
    }
}

extension FeedNegotiation: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(request)" }
    package var customMirror: Mirror { Mirror(self, children: ["request": request]) }
}

extension FeedExchange {
    /// Returns the dial of the server that another one has named, with the token that it has given.
    fileprivate func dial(with token: Secret) -> FeedRequest {
        var request = FeedRequest(target: "", subprotocols: subprotocols, shownTarget: path)
        if case .request(let place) = place {
            let upgrade = RequestShape(method: "GET", path: path, query: query)
                .filled(tokens: [(place, token)])
            request.headers = upgrade.headers
            request.target = upgrade.target
        } else {
            request.target = query.target(path)
        }
        return request
    }
}

/// The parts of a URL that a server names.
private struct TargetURL {
    let origin: String
    let path: String
    let query: FixedQuery

    /// Fails if it is no URL, or has a user; who calls it decides whether it is safe.
    init?(_ text: String) {
        guard text.utf8.count <= 4096, let mark = text.range(ofBytes: "://") else { return nil }
        let rest = text[mark.upperBound...]
        // By bytes: a mark behind the slash makes another character of it.
        let end = rest.utf8.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.isEmpty, !authority.has("@") else { return nil }
        origin = String(text[..<authority.endIndex])
        let target = rest[authority.endIndex...]
        let parts = target.halves(at: "?")
        path = String(parts?.0 ?? target)
        query = FixedQuery(String(parts?.1 ?? ""))
        guard RequestSyntax.isPath(path),
            query.text.isEmpty || RequestSyntax.isTarget("/?" + query.text)
        else { return nil }
    }
}
