package import Basics

/// One thing that a probe has found out.
package enum Verdict: Sendable, Hashable {
    /// The server's clock relative to ours.
    case clock(ServerOffset)
    /// The stated lifetimes in seconds, with their sources.
    case accessLifetime(Double, ExpirySource)
    case refreshLifetime(Double, ExpirySource)
    case noLifetime
    /// Two statements about an expiry disagree.
    case expiriesDisagree
    /// The answer with tokens may be stored by caches (RFC 6749 section 5.1).
    case cacheable
    /// Cookies of the login without `HttpOnly` or `Secure`.
    case openCookies([String])
    /// An opaque token of this many bytes, which is less than 128 bits of randomness.
    case shortToken(bytes: Int)
    /// The answer to a login with a wrong password.
    case wrongPassword(status: Int?, code: String?)
    case acceptsWrongPassword
    /// A request without a valid access token succeeds.
    case acceptsBadAccess(BadToken)
    /// The status of the answer to a request with no token, or a wrong one.
    case accessRefusal(BadToken, status: Int)
    case rotation(RotationVerdict)
    /// A refresh token is refused at its first use.
    case refreshRefused(status: Int?, code: String?)
    /// Whether the access token before a refresh is still accepted after it.
    case oldAccess(lives: Bool)
    /// A request with the access token that a refresh has brought is refused.
    case newAccessRefused(status: Int?)
    /// A request with a valid access token is refused for what no refresh brings, with the error code.
    case challenged(code: String)
    /// The claims of the access token of a refresh beside those of the one before.
    case claims(ClaimComparison)
    /// Whether a refresh extends the life of the refresh token.
    case refreshSlides(Bool)
    /// The answer to a refresh with something that is no refresh token.
    case refreshError(BadToken, status: Int?, code: String?)
    /// A refresh with something that is no refresh token brings tokens.
    case acceptsBadRefresh(BadToken)
    /// The answer to a refresh that does not name the resource of the tokens.
    case resource(OtherResource, ResourceVerdict)
    /// The effect of a challenge for a nonce on the refresh token.
    case nonce(NonceVerdict)
    /// Whether a token before the last is refused as the last is, and what that does.
    case ancestor(AncestorVerdict)
    case race(RaceVerdict, gap: Double)
    /// Races were answered with 5xx, which may have another cause.
    case raceUnclear
    /// Whether a client that has lost the answer can go on with the token that it has sent; by the
    /// seconds that it waits.
    case lostAnswer(LostVerdict, after: Double)
    /// The real end of the access token against the stated one, in seconds after it.
    case accessEnd(low: Double?, high: Double?)
    /// Whether the refresh token is good once the access token has expired.
    case refreshAfterExpiry(Bool)
    case logout(LogoutVerdict)
    case logoutAll(LogoutAllVerdict)
    /// The logout of a session that is alive is refused.
    case logoutRefused(status: Int?)
    /// The answer to a logout with unknown tokens.
    case unknownLogout(status: Int?)
    /// The answer of the feed to a valid token.
    case feedOpening(FeedAnswer)
    /// Whether a socket of the feed was closed after something, and with which code.
    case feedAfter(FeedOccasion, closedWith: Int?)
    /// The answer of the feed to a token that is not valid.
    case feedRefusal(InvalidFeedToken, FeedAnswer)
}

/// The result of an upgrade for the feed.
package enum FeedAnswer: Sendable, Hashable {
    /// The socket stays open.
    case accepted
    /// The upgrade is answered with a status.
    case refused(status: Int?)
    /// The socket is closed after the upgrade.
    case closed(code: Int)
}

package enum InvalidFeedToken: String, Sendable, Hashable {
    case malformed
    case expired
}

/// The answer to a refresh that omits the resource, or names another (RFC 8707).
package struct ResourceVerdict: Sendable, Hashable {
    package let isAccepted: Bool
    /// Whether the new access token is for the same audience as before, or `nil` if it is unknown.
    package let keepsAudience: Bool?
    /// The error code of a refusal.
    package let code: String?
    /// Whether the next refresh as usual succeeds, or `nil` if there was none.
    package let sessionLives: Bool?
}

/// The answer to a refresh whose proof has no nonce (RFC 9449 section 8).
package enum NonceVerdict: String, Sendable, Hashable, Codable, CaseIterable {
    case notRequired = "not-required"
    /// The same refresh token works with the nonce.
    case leavesToken = "kept"
    /// The same refresh token is refused with the nonce.
    case spendsToken = "spent"
}

/// The effect of a refresh on the refresh token.
package enum RotationVerdict: String, Sendable, Hashable, Codable {
    case replaces
    case keeps
    case keepsSilently
}

/// The result for a refresh token that was replaced twice.
package enum AncestorVerdict: String, Sendable, Hashable, Codable {
    case accepted
    case refused
    case endsSession
}

/// The result of the same refresh sent twice at once.
package enum RaceVerdict: String, Sendable, Hashable, Codable, CaseIterable {
    /// Both get the same refresh token.
    case same
    /// Both get tokens of their own, and all of them are valid.
    case forks
    /// Both get tokens of their own, of which one refresh token is dead.
    case oneDies
    case oneWins
    /// One gets tokens, and its refresh token is dead.
    case winnerDies
    case bothRefused
    /// One gets 5xx, or both do, and what the other one got is valid.
    case serverError
}

/// The result of a refresh whose client leaves before the answer.
package enum LostVerdict: String, Sendable, Hashable, Codable, CaseIterable {
    /// The same token is accepted again.
    case recovers
    /// It is accepted although replaced tokens are refused: the refresh was not carried out.
    case notCommitted
    case lost
}

package struct LogoutVerdict: Sendable, Hashable {
    package var refreshLives: Bool?
    package var accessLives: Bool?
    /// Whether another session of the same user goes on.
    package var othersLive: Bool?
}

/// The state of another session after a logout from all sessions.
package struct LogoutAllVerdict: Sendable, Hashable {
    package var refreshLives: Bool?
    package var accessLives: Bool?
}
