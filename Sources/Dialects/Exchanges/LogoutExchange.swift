/// How a session is ended at the backend.
struct LogoutExchange: Sendable, Hashable {
    var request: RequestShape
    /// Nil where the backend does not want it.
    var refreshPlace: TokenPlace?
    /// Nil where the backend does not want it.
    var accessPlace: TokenPlace?

    /// Whether its request holds nothing that tells whose session is meant.
    var isAnonymous: Bool { refreshPlace == nil && accessPlace == nil }
}
