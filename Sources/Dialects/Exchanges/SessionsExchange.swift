package import Tokens

/// How the user's active sessions are listed.
struct SessionsExchange: Sendable, Hashable {
    var request: RequestShape
    var place = TokenLocation.bearer
    /// The key path of the list; empty where the body is the list itself.
    var list: String
    /// The key path of a session's id, from the session on.
    var id: String
    /// The key path of what a person knows it by, such as the device.
    var name: String?
    /// The key path of the time it began: ISO 8601, or seconds or milliseconds since 1970.
    var startedAt: String?
    /// The key path of the time it was last seen, in the same forms.
    var lastUsedAt: String?
    /// The key path of a flag that marks the session that asks.
    var isCurrent: String?
    /// How one of them is ended, or `nil` if the backend has no endpoint for it.
    var end: SessionEndExchange?
}

/// How one of the user's sessions is ended.
struct SessionEndExchange: Sendable, Hashable {
    /// Its path has the gap `{id}`.
    var request: RequestShape
    var place = TokenLocation.bearer

    static let placeholder = "id"

    /// `nil` for an id that would change the path itself.
    func request(_ token: AccessToken, id: String) -> WireRequest? {
        guard !id.isEmpty, id != ".", id != ".." else { return nil }
        var filled = request.filled(tokens: [(place, token.secret)])
        let query = filled.target.dropFirst(request.path.count)
        let path = PlaceholderText(request.path)
            .filled { $0 == Self.placeholder ? PercentEncoding.encode(id) : nil }
        filled.target = path + query
        return filled
    }

    /// The id that a request names, or `nil` if it is not one of these.
    func id(in wire: WireRequest) -> String? {
        guard wire.method == request.method,
            let found = PlaceholderText(request.path).value(in: wire.path),
            !found.value.isEmpty, !found.value.contains("/")
        else { return nil }
        return PercentEncoding.decode(found.value, plusIsSpace: false)
    }
}

extension SessionsExchange {
    /// The sandbox's way to end one, for a dialect that has only the list.
    var sandboxEnd: SessionEndExchange {
        SessionEndExchange(
            request: RequestShape(method: "DELETE", path: "\(request.path)/{id}"),
            place: place
        )
    }
}

/// The requests about the user's other sessions.
extension Dialect {
    /// `nil` where the backend does not list them.
    package func sessionsRequest(_ token: AccessToken) -> WireRequest? {
        sessions.map { $0.request.filled(tokens: [($0.place, token.secret)]) }
    }

    /// `nil` where the backend ends no single session, or the id is none that a path can name.
    package func endSessionRequest(_ token: AccessToken, id: String) -> WireRequest? {
        sessions?.end?.request(token, id: id)
    }

    /// Whether the backend ends a single session by its id.
    package var endsSessions: Bool { sessions?.end != nil }
}
