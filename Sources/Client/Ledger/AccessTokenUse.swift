import Basics
import Model

/// The access token in use at the moment a backend accepted or refused it.
struct AccessTokenUse: Sendable, Hashable {
    let generation: Int
    /// Seconds since the request for its pair was sent.
    let age: Double
    /// In seconds, or `nil` if nothing is known of its end.
    let lifetime: Double?
    /// Whether the session has a refresh token to replace it with.
    let hasRefreshToken: Bool
}

// MARK: - Observations of requests and sockets

extension SessionLedger {
    /// Observes that a request with an access token was accepted.
    ///
    /// - Returns: The token's use, or `nil` if it is not the token in use.
    mutating func requestAccepted(
        with token: AccessToken?,
        at now: Instant
    ) -> AccessTokenUse? {
        // Generations of two logins may have the same number, their tokens do not.
        guard token == pair.tokens.access else { return nil }
        isAccessRefused = false
        return use(at: now)
    }

    /// Observes that a request with an access token was refused.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: When the answer came.
    ///   - isAboutToken: Whether the refusal may be due to the token.
    /// - Returns: The token's use, or `nil` if it is not the token in use: the refusal of an older
    ///   token means nothing for the session.
    mutating func requestRefused(
        with token: AccessToken?,
        at now: Instant,
        isAboutToken: (AccessTokenUse) -> Bool
    ) -> AccessTokenUse? {
        guard token == pair.tokens.access else { return nil }
        let use = use(at: now)
        if isAboutToken(use) { isAccessRefused = true }
        return use
    }

    /// Observes that the feed was refused with the access token of a generation.
    ///
    /// - Returns: The token's use, or `nil` if the session has a newer one.
    func socketRefused(generation: Int, at now: Instant) -> AccessTokenUse? {
        generation == pair.generation ? use(at: now) : nil
    }

    private func use(at now: Instant) -> AccessTokenUse {
        AccessTokenUse(
            generation: pair.generation,
            age: now.seconds(since: pair.issuedAt.now),
            lifetime: pair.access?.lifetime.inSeconds,
            hasRefreshToken: pair.tokens.refresh != nil
        )
    }
}
