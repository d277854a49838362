/// How a session is ended at the backend.
struct LogoutExchange: Sendable, Hashable {
    var request: RequestShape
    /// Nil where the backend does not want it.
    var refreshPlace: TokenPlace?
    /// Nil where the backend does not want it.
    var accessPlace: TokenPlace?
}
