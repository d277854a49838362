import Basics

/// Parsing of requests in this dialect.
extension Dialect {
    /// Parses a request; returns `nil` if the method and path are not among this dialect's.
    package func recognize(_ request: WireRequest) -> RecognizedRequest? {
        if let feed, request.method == "GET", request.path == feed.path,
            feed.query.isPart(of: request)
        {
            let isOwn = feed.place == FeedExchange.sandbox.place
            let bearer = isOwn ? TokenLocation.bearer.token(in: request) : nil
            return .feed(
                feed.token(in: request) ?? bearer.map(AccessToken.init),
                since: feed.since.flatMap { request.queryItems[$0] }
            )
        }
        if let end = sessions?.end, let id = end.id(in: request) {
            return .endSession(id: id, end.place.token(in: request).map(AccessToken.init))
        }
        let candidates = exchanges.filter { $0.shape.matches(request) }
        guard candidates.count > 1 else { return candidates.first?.read(request) }
        let fitting = candidates.filter { $0.shape.hasFixedFields(request) }
        let exact = fitting.first { $0.shape.hasFixedHeaders(request) }
        return (exact ?? fitting.first ?? candidates.first)?.read(request)
    }

    private struct Exchange {
        var shape: RequestShape
        var read: (WireRequest) -> RecognizedRequest
    }

    private var exchanges: [Exchange] {
        var exchanges = [
            Exchange(shape: login.request) {
                .login(credentials: login.request.values(in: $0))
            }
        ]
        if let refresh {
            exchanges.append(
                Exchange(shape: refresh.request) {
                    .refresh(refresh.place.token(in: $0).map(RefreshToken.init))
                }
            )
        }
        for (scope, logout) in logouts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            exchanges.append(
                Exchange(shape: logout.request) { request in
                    // A logout that need not identify the session may do so nevertheless.
                    let isAnonymous = logout.isAnonymous
                    let refreshPlace = isAnonymous ? refresh?.place : logout.refreshPlace
                    let token = refreshPlace?.token(in: request)
                    let instead = token == nil ? logout.withoutRefresh?.place : nil
                    let accessPlace = isAnonymous ? .bearer : logout.accessPlace ?? instead
                    return .logout(
                        scope,
                        refresh: token.map(RefreshToken.init),
                        access: accessPlace?.token(in: request).map(AccessToken.init)
                    )
                }
            )
            guard let instead = logout.withoutRefresh else { continue }
            exchanges.append(
                Exchange(shape: instead.request) { request in
                    .logout(
                        scope,
                        refresh: nil,
                        access: instead.place.token(in: request).map(AccessToken.init)
                    )
                }
            )
        }
        if let protected {
            exchanges.append(
                Exchange(shape: protected.request) {
                    .protected(protected.place.token(in: $0).map(AccessToken.init))
                }
            )
        }
        if let sessions {
            exchanges.append(
                Exchange(shape: sessions.request) {
                    .sessions(sessions.place.token(in: $0).map(AccessToken.init))
                }
            )
        }
        if let introspection {
            exchanges.append(
                Exchange(shape: introspection.request) {
                    .introspection(introspection.place.token(in: $0))
                }
            )
        }
        if let userinfo {
            exchanges.append(
                Exchange(shape: userinfo.request) {
                    .userinfo(userinfo.place.token(in: $0).map(AccessToken.init))
                }
            )
        }
        // Last, so that a request which could also be a login is parsed as a refresh.
        exchanges += otherLogins.map(\.exchange.request).map { request in
            Exchange(shape: request) { .login(credentials: request.values(in: $0)) }
        }
        return exchanges
    }
}

extension FeedExchange {
    /// Returns the token of an upgrade request; `nil` also if it is sent in the first message.
    func token(in request: WireRequest) -> AccessToken? {
        switch place {
        case .request(let place):
            return place.token(in: request).map(AccessToken.init)
        case .subprotocol(let prefix):
            let offered = request.header("Sec-WebSocket-Protocol") ?? ""
            for name in offered.utf8.split(whereSeparator: { ", ".utf8.contains($0) }).map(
                Substring.init
            )
            where name.begins(with: prefix) && !subprotocols.contains(String(name)) {
                return AccessToken(Secret(String(name.part(after: prefix) ?? "")))
            }
            return nil
        case .message:
            return nil
        }
    }
}

/// The degree to which a request matches a dialect, to choose among several.
package enum RequestFit: Int, Sendable, Hashable, Comparable {
    /// It lacks something that the dialect requires, or its token cannot be one of the dialect's,
    /// which a refresh token is to be refused for.
    case incomplete
    /// It contains what the dialect requires.
    case complete
    /// Its tokens also have a format that few texts have.
    case distinctive

    package static func < (left: RequestFit, right: RequestFit) -> Bool {
        left.rawValue < right.rawValue
    }

    fileprivate init(_ secret: Secret?, _ format: TokenFormat) {
        guard let secret, format.admits(secret) else {
            self = .incomplete
            return
        }
        self = format == .opaque ? .complete : .distinctive
    }
}

extension Dialect {
    /// Returns how well a parsed request matches this dialect.
    package func fit(of recognized: RecognizedRequest, in request: WireRequest) -> RequestFit {
        switch recognized {
        case .login(let given):
            let names = Set(given.keys)
            let wanted = [Set(credentials.map(\.name))] + otherLoginOptions.map(\.credentials)
            return wanted.contains { $0.isSubset(of: names) } ? .complete : .incomplete
        case .refresh(let token):
            // A token of another format is one that the backend would refuse.
            let fit = RequestFit(token?.secret, tokens.refresh)
            return token == nil ? fit : max(fit, .complete)
        case .logout(let scope, let refresh, let access):
            if refresh == nil, access == nil {
                let isMeantSo = anonymousLogouts.contains(scope) && request.body.isEmpty
                return isMeantSo ? .complete : .incomplete
            }
            return max(
                RequestFit(refresh?.secret, tokens.refresh),
                RequestFit(access?.secret, tokens.access)
            )
        case .protected(let token), .sessions(let token), .feed(let token, _),
            .endSession(_, let token), .userinfo(let token):
            return RequestFit(token?.secret, tokens.access)
        case .introspection(let token):
            return max(RequestFit(token, tokens.access), RequestFit(token, tokens.refresh))
        }
    }
}
