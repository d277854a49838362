package import Model

/// Why a session cannot be used now, for a monitor.
package enum ReadinessText {
    /// A sentence about a profile without a session that can be used.
    package static func sentence(_ profile: MetricsBook.UnreadyProfile) -> String {
        let count = profile.sessions > 1 ? " (the first of \(profile.sessions) sessions)" : ""
        return "\(profile.name): \(text(profile.state))\(count)"
    }

    private static func text(_ state: SessionState) -> String {
        switch state {
        case .cold: "the stored session is being read"
        case .vaultUnavailable(let problem):
            "the vault cannot be read: \(CauseText().text(problem))"
        case .signedOut(let reason): ReasonText.sentence(reason)
        case .signingIn: "logging in"
        case .signingOut: "logging out"
        case .fresh, .renewing, .draining: "the access token has expired"
        case .blocked: "the access token has expired, and is being renewed"
        case .retrying(let outlook), .expired(let outlook):
            "the access token has expired: \(FailureText.full(outlook.failure))"
        case .unknown:
            "the access token has expired: the answer of the last renewal was lost or not usable"
        }
    }
}
