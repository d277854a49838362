package import Tokens

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

/// Which tokens a logout's request holds, and so which must be at hand for it to be sent.
package struct LogoutNeeds: Sendable, Hashable {
    package var refresh: Bool
    package var access: Bool
    /// Whether the access token alone does where there is no refresh token.
    package var accessSuffices: Bool

    /// Whether the request does not tell whose session is meant.
    package var isAnonymous: Bool { !refresh && !access }

    package init(refresh: Bool, access: Bool = false, accessSuffices: Bool = false) {
        self.refresh = refresh
        self.access = access
        self.accessSuffices = accessSuffices
    }
}

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
