import Basics

/// The tokens of a session that renewals have replaced.
struct ReplacedTokens: Sendable {
    struct Refresh: Sendable {
        let token: RefreshToken
        let generation: Int
        let issuedAt: Instant
    }

    /// The pair before the one in use.
    let pair: SessionPair
    /// The refresh token before the one in use, or `nil` if it was never replaced.
    let refresh: Refresh?

    /// - Parameters:
    ///   - old: The pair that was in use.
    ///   - next: The pair that replaces it.
    ///   - replaced: The tokens that `old` had replaced.
    init?(_ old: SessionPair, by next: SessionPair, before replaced: ReplacedTokens?) {
        guard old.family == next.family else { return nil }
        guard old.tokens != next.tokens else {
            guard let replaced else { return nil }
            self = replaced
            return
        }
        pair = old
        if let token = old.tokens.refresh, token != next.tokens.refresh {
            refresh = Refresh(
                token: token,
                generation: old.generation,
                issuedAt: old.refreshIssuedAt.now
            )
        } else {
            refresh = replaced?.refresh
        }
    }
}
