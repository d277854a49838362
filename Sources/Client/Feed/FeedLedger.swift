package import Basics
import Model

/// An access token that the feed may be opened with.
package struct FeedToken: Sendable, Hashable {
    package let generation: Int
    /// When it may no longer be used, or `nil` if its expiry is unknown.
    package let usableUntil: Instant?
}

/// The knowledge about access tokens from the sockets that they were opened with.
///
/// A refused upgrade may have another reason than the token: one renewal is requested for a
/// refusal, and no further one until a socket has stayed open.
struct FeedLedger: Sendable {
    /// The meaning of a socket's refusal.
    enum RefusalMeaning: Sendable, Hashable {
        /// The token may be stale: it must be renewed.
        case stale
        /// A renewal did not help; `count` is the number of such refusals before this one.
        case persistent(count: Int)
    }

    /// The newest token of the session, or `nil` if it has none.
    private(set) var newest: FeedToken?
    /// The generation whose refusal led to the last renewal.
    private var renewedGeneration: Int?
    private var isPersistent = false
    private var refusals = 0

    mutating func tokenIssued(_ token: FeedToken) {
        // Earlier refusals do not count for another session.
        if newest == nil { forgetRefusals() }
        newest = token
    }

    mutating func sessionEnded() {
        newest = nil
    }

    /// Whether the session has a newer token than that of a generation.
    func isOutdated(_ generation: Int) -> Bool {
        newest.map { $0.generation > generation } ?? false
    }

    /// Observes that a socket has been open for a time.
    ///
    /// Some servers accept every token and close at once: only a socket that stays open shows that
    /// its token is accepted.
    ///
    /// - Parameters:
    ///   - generation: The generation of the socket's token.
    ///   - seconds: The time since it was opened.
    mutating func socketOpen(generation: Int, for seconds: Double) {
        guard seconds >= FeedPolicy.proof, generation > (renewedGeneration ?? 0) else { return }
        forgetRefusals()
    }

    /// Observes that a socket with the newest token was refused, or was closed because of it.
    mutating func socketRefused(generation: Int) -> RefusalMeaning {
        if !isPersistent, renewedGeneration.map({ $0 < generation - 1 }) ?? true {
            renewedGeneration = generation
            return .stale
        }
        isPersistent = true
        defer { refusals += 1 }
        return .persistent(count: refusals)
    }

    private mutating func forgetRefusals() {
        isPersistent = false
        refusals = 0
        renewedGeneration = nil
    }
}
