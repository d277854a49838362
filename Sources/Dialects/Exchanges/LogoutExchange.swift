/// How a session is ended at the backend.
struct LogoutExchange: Sendable, Hashable {
    var request: RequestShape
    /// `nil` where the backend does not want it.
    var refreshPlace: TokenLocation?
    /// `nil` where the backend does not want it.
    var accessPlace: TokenLocation?
    /// What is sent in its place where there is no refresh token.
    var withoutRefresh: AccessLogout?

    var requests: [RequestShape] { [request] + (withoutRefresh.map { [$0.request] } ?? []) }

    /// A logout that holds the access token alone.
    struct AccessLogout: Sendable, Hashable {
        var request: RequestShape
        var place: TokenLocation
    }

    /// Whether its request holds nothing that tells whose session is meant.
    var isAnonymous: Bool { refreshPlace == nil && accessPlace == nil }
}
