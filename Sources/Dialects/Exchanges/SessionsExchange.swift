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
