package import Tokens

/// The requests that end sessions.
extension Dialect {
    /// Holds each token that the backend wants and that is at hand: either tells whose session is
    /// meant.
    ///
    /// Nil when the backend has no such endpoint, or wants a token and none is at hand.
    package func logoutRequest(
        _ scope: LogoutScope,
        refresh: RefreshToken?,
        access: AccessToken?,
        credentials: [String: Secret] = [:]
    ) -> WireRequest? {
        guard let logout = logouts[scope] else { return nil }
        var tokens: [(place: TokenPlace, secret: Secret)] = []
        if let place = logout.refreshPlace, let refresh { tokens.append((place, refresh.secret)) }
        if let place = logout.accessPlace, let access { tokens.append((place, access.secret)) }
        guard !tokens.isEmpty || logout.isAnonymous else { return nil }
        return logout.request.filled(values: credentials, tokens: tokens)
    }
}
