/// How the user's active sessions are listed.
struct SessionsExchange: Sendable, Hashable {
    var request: RequestShape
    var place = TokenPlace.bearer
    /// The key path of the list; empty where the body is the list itself.
    var list: String
    /// The key path of a session's id, from the session on.
    var id: String
    /// The key path of the time it began, ISO 8601.
    var startedAt: String?
    /// The key path of a flag that marks the session that asks.
    var isCurrent: String?
}
