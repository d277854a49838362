package import Model

/// Why a session ended, and what a developer can do about it.
package enum ReasonText {
    package static func text(_ reason: SignedOutReason) -> String {
        switch reason {
        case .never: "not logged in yet"
        case .user: "logged out by you"
        case .everywhere: "logged out everywhere by you"
        case .refreshExpired: "the refresh token expired"
        case .sessionExpired: "the backend ended the session, unused for too long or too old"
        case .accessExpired: "the access token expired, nothing can renew it"
        case .revoked: "the backend refused the refresh token"
        case .lostRotation: "refresh token refused after a renewal whose answer was lost"
        case .consumeWithoutReturn: "refresh token refused after a renewal brought no new one"
        case .anotherUser: "a renewal brought another user's token, which is not used"
        case .deletedExternally: "another program deleted the stored session"
        case .endedElsewhere: "logged out by you in another authtop"
        case .replaced: "another login took its place"
        case .gaveUp: "gave up after repeated failures"
        case .renewedTokenRefused: "the backend refused a renewed access token, too"
        case .experiment: "an experiment replayed a refresh token, the backend revoked the session"
        }
    }

    /// Says that the session has ended, and why.
    package static func sentence(_ reason: SignedOutReason) -> String {
        reason.isWanted ? text(reason) : "signed out: \(text(reason))"
    }

    /// For a place with little room.
    static func short(_ reason: SignedOutReason) -> String {
        switch reason {
        case .never: "no login yet"
        case .user: "by you"
        case .everywhere: "by you, everywhere"
        case .refreshExpired: "refresh token expired"
        case .sessionExpired: "session ended by age"
        case .accessExpired: "access token expired"
        case .revoked: "refresh token refused"
        case .lostRotation: "refused, \(MissingAnswerText.lost)"
        case .consumeWithoutReturn: "refused, no new one came"
        case .anotherUser: "another user's token came"
        case .deletedExternally: "deleted by another program"
        case .endedElsewhere: "by you, elsewhere"
        case .replaced: "another login"
        case .gaveUp: "gave up"
        case .renewedTokenRefused: "renewed token refused"
        case .experiment: "ended by an experiment"
        }
    }

    /// `press o to log in`.
    static func logIn(_ keys: KeyMap) -> String {
        "press \(keys.name(of: .logIn)) to log in"
    }

    /// Where to look, or what to change.
    static func advice(_ reason: SignedOutReason, _ keys: KeyMap) -> String {
        switch reason {
        case .never, .user, .everywhere, .endedElsewhere:
            logIn(keys)
        case .refreshExpired:
            "log in again, or give refresh tokens a longer or sliding life"
        case .sessionExpired:
            "log in again; the backend limits how long a session lasts, used or unused"
        case .accessExpired:
            "let the backend issue refresh tokens, or log in again"
        case .revoked:
            "look for a logout, a password change or reuse detection on the backend"
        case .lostRotation:
            "give the backend a grace window: accept the previous refresh token for 30 s"
        case .consumeWithoutReturn:
            "let the backend return a refresh token at each renewal, or not spend it"
        case .anotherUser:
            "look for a cache that mixes users up; policy.another_user allows another user"
        case .deletedExternally:
            "see which other program logged out or cleared the vault"
        case .replaced:
            "see who else logs in with this profile"
        case .gaveUp:
            "see the last failures in the requests; give_up_after is in the profile"
        case .experiment:
            "\(logIn(keys)): reuse detection works, as the experiment showed"
        case .renewedTokenRefused:
            "see why the backend refuses tokens that it has just issued, then log in again"
        }
    }
}
