package import Tokens

/// The requests that end sessions.
extension Dialect {
    /// `nil` when the backend has no such endpoint, or wants a token that is not at hand.
    package func logoutRequest(
        _ scope: LogoutScope,
        refresh: RefreshToken?,
        access: AccessToken?,
        credentials: [String: Secret] = [:]
    ) -> WireRequest? {
        guard let logout = logouts[scope] else { return nil }
        if refresh == nil, let instead = logout.withoutRefresh, let access {
            return instead.request.filled(
                values: credentials,
                tokens: [(instead.place, access.secret)]
            )
        }
        var tokens: [(place: TokenLocation, secret: Secret)] = []
        if let place = logout.refreshPlace {
            guard let refresh else { return nil }
            tokens.append((place, refresh.secret))
        }
        if let place = logout.accessPlace {
            guard let access else { return nil }
            tokens.append((place, access.secret))
        }
        return logout.request.filled(values: credentials, tokens: tokens)
    }

    /// What must be at hand for the backend to be told of a logout, where it has an endpoint.
    package var logoutNeeds: [LogoutScope: LogoutNeeds] {
        logouts.mapValues { logout in
            LogoutNeeds(
                refresh: logout.refreshPlace != nil,
                access: logout.accessPlace != nil,
                accessSuffices: logout.withoutRefresh != nil
            )
        }
    }
}
