package import Basics
package import Profiles

/// The end of a protected request.
package enum RequestEnd: Sendable, Hashable, Codable {
    /// Answered, with a token that the backend accepted.
    case accepted(status: Int)
    /// Accepted, with the user's active sessions.
    case listed([ListedSession], status: Int)
    /// Answered with a status that does not depend on the token.
    case inconclusive(status: Int)
    /// Refused, and refused again with a newer token or with none to be had.
    case rejected(status: Int)
    case noToken(WaitFailure)
    case notSent(UnsentCause)
    case unanswered(detail: String)
}

/// Why a caller got no token.
package enum WaitFailure: Error, Sendable, Hashable, Codable {
    case signedOut(SignedOutReason)
    /// The access token may not be used, and its renewal has failed or has to wait.
    case notRenewed(retryAt: Instant?)
    /// The caller's own deadline passed first.
    case timedOut
    case cancelled
    case vaultUnavailable(VaultProblem)
    /// The breaker is open.
    case circuitBreakerOpened(until: Instant)

    /// The names in recordings.
    private enum CodingKeys: String, CodingKey {
        case signedOut
        case notRenewed = "offline"
        case timedOut, cancelled, vaultUnavailable, circuitBreakerOpened
    }
}
