import Tokens

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
