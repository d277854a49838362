package import Basics
import Profiles

/// Why a user's request cannot be fulfilled.
package enum ActionRejection: Sendable, Hashable, Codable {
    case renewalUnderWay
    case signedInAlready
    case vaultNotRead
    case nothingToRenew
    case refreshTokenRefused
    case nothingToEnd
    case noLogoutEverywhere(dialect: String)
    /// To log out everywhere, a refresh token is needed, and there is none.
    case needsRefreshToken
    /// To log out everywhere, a live access token is needed, and none can be had.
    case needsAccessToken
    case experimentUnderWay
    /// No access token of the session has expired; with the end of the one in use, if it is stated.
    case noExpiredToken(endsAt: Instant?)
    /// No renewal of this run has replaced the refresh token.
    case noReplacedToken
    /// There is no refresh token to send.
    case noRefreshToken
    case noOpenFeed
    case noProtectedRequest

    /// The cause as the field `cause` of an event has it.
    enum Code: String, Sendable, Hashable, CaseIterable {
        case renewalUnderWay
        case signedInAlready
        case vaultNotRead
        case nothingToRenew
        case refreshTokenRefused
        case nothingToEnd
        case noLogoutEverywhere
        case needsRefreshToken
        case needsAccessToken
        case experimentUnderWay
        case noExpiredToken
        case noReplacedToken
        case noRefreshToken
        case noOpenFeed
        case noProtectedRequest
    }

    var code: Code {
        switch self {
        case .renewalUnderWay: .renewalUnderWay
        case .signedInAlready: .signedInAlready
        case .vaultNotRead: .vaultNotRead
        case .nothingToRenew: .nothingToRenew
        case .refreshTokenRefused: .refreshTokenRefused
        case .nothingToEnd: .nothingToEnd
        case .noLogoutEverywhere: .noLogoutEverywhere
        case .needsRefreshToken: .needsRefreshToken
        case .needsAccessToken: .needsAccessToken
        case .experimentUnderWay: .experimentUnderWay
        case .noExpiredToken: .noExpiredToken
        case .noReplacedToken: .noReplacedToken
        case .noRefreshToken: .noRefreshToken
        case .noOpenFeed: .noOpenFeed
        case .noProtectedRequest: .noProtectedRequest
        }
    }
}

/// Why the backend did not list the active sessions, or did not end one.
package struct SessionListFailure: Sendable, Hashable, Codable {
    package enum Request: String, Sendable, Hashable, Codable, CaseIterable {
        case list
        case end
    }

    package var request: Request
    /// The end of the request that was to do it.
    package var end: RequestEnd

    package init(_ request: Request, _ end: RequestEnd) {
        self.request = request
        self.end = end
    }
}
