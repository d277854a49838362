package import Basics

/// The request for the user's active sessions.
struct SessionsExchange: Sendable, Hashable {
    var request: RequestShape
    var place = TokenLocation.bearer
    /// The key path of the list; empty if the body is the list itself.
    var list: String
    /// The key path of a session's id, relative to the session.
    var id: String
    /// The key path of a name that the user recognizes, such as the device's.
    var name: String?
    /// The key path of the start time: ISO 8601, or seconds or milliseconds since 1970.
    var startedAt: String?
    /// The key path of the last use, in the same formats.
    var lastUsedAt: String?
    /// The key path of a flag that marks the session of the request.
    var isCurrent: String?
    /// The request that ends a session, or `nil` if the backend has no endpoint for it.
    var end: SessionEndExchange?
}

/// The request that ends one of the user's sessions.
struct SessionEndExchange: Sendable, Hashable {
    /// The request, whose path contains the placeholder `{id}` once.
    var request: RequestShape
    var place = TokenLocation.bearer

    static let placeholder = "id"

    /// Returns the request, or `nil` if the id would change the path itself.
    func request(
        _ token: AccessToken,
        id: String,
        captured: CapturedValues
    ) -> WireRequest? {
        guard !id.isEmpty, id != ".", id != ".." else { return nil }
        return request.filled(
            captured: captured,
            tokens: [(place, token.secret)],
            segments: [Self.placeholder: id]
        )
    }

    /// Returns the id in a request, or `nil` if it is not a request of this kind.
    func id(in wire: WireRequest) -> String? {
        guard request.matches(wire) else { return nil }
        let parts = zip(
            request.path.parts(at: "/", keepsEmpty: true),
            wire.path.parts(at: "/", keepsEmpty: true)
        )
        for (own, sent) in parts {
            let template = PlaceholderText(String(own))
            guard template.names == [Self.placeholder] else { continue }
            guard let found = template.value(in: String(sent)), !found.value.isEmpty else {
                return nil
            }
            return PercentEncoding.decode(found.value, plusIsSpace: false)
        }
        return nil
    }
}

extension SessionsExchange {
    /// The sandbox's request to end a session, for a dialect that has only the list.
    var sandboxEnd: SessionEndExchange {
        SessionEndExchange(
            request: RequestShape(method: "DELETE", path: "\(request.path)/{id}"),
            place: place
        )
    }
}

/// The requests for the user's sessions.
extension Dialect {
    /// Returns the request, or `nil` if the backend does not list sessions.
    package func sessionsRequest(
        _ token: AccessToken,
        captured: CapturedValues = .none
    ) -> WireRequest? {
        sessions.map {
            $0.request.filled(captured: captured, tokens: [($0.place, token.secret)])
        }
    }

    /// Returns the request, or `nil` if the backend has no endpoint for it, or the id cannot be
    /// part of a path.
    package func endSessionRequest(
        _ token: AccessToken,
        id: String,
        captured: CapturedValues = .none
    ) -> WireRequest? {
        sessions?.end?.request(token, id: id, captured: captured)
    }

    /// Whether the backend can end a single session by its id.
    package var endsSessions: Bool { sessions?.end != nil }
}
