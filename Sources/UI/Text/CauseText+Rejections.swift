package import Model

/// Why an action of the user was not carried out.
extension CauseText {
    package func text(_ rejection: ActionRejection) -> String {
        switch rejection {
        case .renewalUnderWay: "a renewal is in progress: wait for its answer"
        case .signedInAlready: "logged in already: log out first"
        case .vaultNotRead: "the vault has not been read yet"
        case .nothingToRenew: "there is no session to renew"
        case .refreshTokenRefused: "the refresh token is refused: log in again"
        case .nothingToEnd: "there is no session to end"
        case .noLogoutEverywhere(let dialect): "\(dialect) offers no logout everywhere"
        case .needsRefreshToken:
            "logging out everywhere needs the refresh token, and there is none: log out here, or "
                + "log in again first"
        case .needsAccessToken:
            "logging out everywhere needs a live access token: not reachable"
        case .experimentUnderWay: "an experiment is running: wait for its end"
        case .noExpiredToken(nil): "no access token of this session is known to have expired"
        case .noExpiredToken:
            "no access token of this session has expired yet: wait, or pause renewal with "
                + keys.name(of: .pause)
        case .noReplacedToken:
            "no renewal of this run has replaced the refresh token yet"
        case .noRefreshToken: "there is no refresh token to send"
        case .noOpenFeed: "the feed is not open"
        case .noProtectedRequest: "the profile names no protected request to send"
        }
    }
}
