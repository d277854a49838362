import Tokens

/// What happens to a refresh token that was already exchanged for another.
package enum ReusePolicy: Sendable, Hashable {
    /// It is as good as new: nothing is ever spent.
    case none
    /// It is refused.
    case strict
    /// It is refused, and its whole family ends with it (RFC 9700 section 4.14.2).
    case strictRevokeFamily
    /// For so many seconds it gives the same successor again, unless that one has been used; then
    /// as `strict`.
    case grace(seconds: Double)
    /// For so many seconds each use gives a successor of its own, and all of them live; then as
    /// `strict`.
    case graceForks(seconds: Double)
    /// It goes on living, giving a new successor each time, until a token it was exchanged for is
    /// used; then as `strict`.
    case oldLivesUntilNewUsed

    enum Verdict: Sendable, Equatable {
        /// Give a new successor and mark the token so.
        case exchange(RefreshUse)
        /// Give this successor once more, if it is still unused.
        case repeated(RefreshToken)
        case refuse(endsFamily: Bool)
    }

    /// What to do with a token of which so much use has been made.
    func verdict(on use: RefreshUse, at now: Double) -> Verdict {
        switch (use, self) {
        case (_, .none), (.unused, .oldLivesUntilNewUsed), (.superseded, .oldLivesUntilNewUsed):
            return .exchange(self == .none ? .unused : .superseded)
        case (.unused, _), (.superseded, _):
            return .exchange(.spent(at: now))
        case (.spent(let first, let successor?), .grace(let seconds)) where now - first <= seconds:
            return .repeated(successor)
        case (.spent(let first, _), .graceForks(let seconds)) where now - first <= seconds:
            return .exchange(use)
        case (.spent, .strictRevokeFamily):
            return .refuse(endsFamily: true)
        case (.spent, .strict), (.spent, .grace), (.spent, .graceForks),
            (.spent, .oldLivesUntilNewUsed):
            return .refuse(endsFamily: false)
        }
    }
}

/// What use has been made of a refresh token.
enum RefreshUse: Sendable, Equatable {
    case unused
    /// Exchanged, and alive until its successor is used.
    case superseded
    /// Exchanged for the first time at this instant, in seconds since 1970.
    case spent(at: Double, successor: RefreshToken? = nil)
}
