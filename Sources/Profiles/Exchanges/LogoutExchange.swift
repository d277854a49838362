package import Basics

/// The sessions that a logout ends.
package enum LogoutScope: String, Sendable, Hashable, Codable, CaseIterable {
    case this
    case everywhere
}

/// The request that ends a session at the backend.
struct LogoutExchange: Sendable, Hashable {
    var request: RequestShape
    /// The place of the refresh token, or `nil` if the backend does not require it.
    var refreshPlace: TokenLocation?
    /// The place of the access token, or `nil` if the backend does not require it.
    var accessPlace: TokenLocation?
    /// The statuses that acknowledge it, besides 2xx.
    var acknowledged: Set<Int> = []
    /// The request to send instead if there is no refresh token.
    var withoutRefresh: AccessLogout?

    var requests: [RequestShape] { [request] + (withoutRefresh.map { [$0.request] } ?? []) }

    /// A logout with only the access token.
    struct AccessLogout: Sendable, Hashable {
        var request: RequestShape
        var place: TokenLocation
    }

    /// Whether no token in the request identifies a session.
    var isAnonymous: Bool { refreshPlace == nil && accessPlace == nil }
}

/// The tokens that a logout's request contains, and which must therefore be available.
package struct LogoutNeeds: Sendable, Hashable {
    package var refresh: Bool
    package var access: Bool
    /// Whether the access token suffices if there is no refresh token.
    package var accessSuffices: Bool
    /// The captured values that the request sends again.
    package var captures: Set<String>
    /// The same if there is no refresh token.
    package var capturesWithoutRefresh: Set<String>

    /// Whether the request does not identify a session: it has no token, and no other value that the
    /// session has brought.
    package var isAnonymous: Bool { !refresh && !access && captures.isEmpty }

    package init(
        refresh: Bool,
        access: Bool = false,
        accessSuffices: Bool = false,
        captures: Set<String> = [],
        capturesWithoutRefresh: Set<String>? = nil
    ) {
        self.refresh = refresh
        self.access = access
        self.accessSuffices = accessSuffices
        self.captures = captures
        self.capturesWithoutRefresh = capturesWithoutRefresh ?? captures
    }
}

/// The requests that end sessions.
extension Dialect {
    /// Returns the request, or `nil` if the backend has no such endpoint, or a required token is
    /// missing.
    package func logoutRequest(
        _ scope: LogoutScope,
        refresh: RefreshToken?,
        access: AccessToken?,
        credentials: [String: Secret] = [:],
        captured: CapturedValues = .none
    ) -> WireRequest? {
        guard let logout = logouts[scope] else { return nil }
        if refresh == nil, let instead = logout.withoutRefresh, let access {
            return instead.request.filled(
                values: withClientID(credentials),
                captured: captured,
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
        return logout.request.filled(
            values: withClientID(credentials),
            captured: captured,
            tokens: tokens
        )
    }

    /// The tokens that are required to notify the backend of a logout, if it has an endpoint.
    package var logoutNeeds: [LogoutScope: LogoutNeeds] {
        func captures(_ request: RequestShape) -> Set<String> {
            let key = request.proof == nil ? [] : [CapturedValues.proofKeyName]
            return Set(request.captures.map(\.name) + key)
        }
        return logouts.mapValues { logout in
            LogoutNeeds(
                refresh: logout.refreshPlace != nil,
                access: logout.accessPlace != nil,
                accessSuffices: logout.withoutRefresh != nil,
                captures: captures(logout.request),
                capturesWithoutRefresh: logout.withoutRefresh.map { captures($0.request) }
            )
        }
    }
}
