package import Basics
package import Model
package import Profiles

/// Sends HTTP requests to one backend's origin.
package protocol TokenTransport: Sendable {
    /// Sends the request once, to the origin only, and follows no redirect.
    ///
    /// Never throws: failures are outcomes, because they determine whether a token may be spent.
    ///
    /// - Parameters:
    ///   - request: The request, relative to the base URL.
    ///   - connection: Whether to use a connection of its own, for a request that must not be lost
    ///     to a connection that is closing.
    ///   - deadline: When to give up; the outcome is then `unanswered` or `notSent`, depending on
    ///     whether the request's head had been sent.
    /// - Returns: The outcome and its times.
    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport

    /// Sends any request without credentials to the origin, and returns whether it is reachable.
    func probe(deadline: Instant) async -> Bool
}

package enum ConnectionUse: Sendable, Hashable {
    /// A connection for this request alone, as token endpoints use.
    case own
    /// A connection from a pool.
    case shared
}

/// The outcome of an exchange.
package struct TransportReport: Sendable {
    /// The outcome; a response has at most 1 MiB of body.
    package var outcome: Outcome<WireResponse>
    /// When the request was handed to the network.
    package var sentAt: Moment
    /// When the response was complete, or the attempt was given up.
    package var endedAt: Moment
    package var timing: RequestTiming
    /// Whether it is about the second of two requests, with the nonce that the answer to the first
    /// required (RFC 9449 section 8).
    var isNonceRetry = false

    package init(
        outcome: Outcome<WireResponse>,
        sentAt: Moment,
        endedAt: Moment,
        timing: RequestTiming
    ) {
        self.outcome = outcome
        self.sentAt = sentAt
        self.endedAt = endedAt
        self.timing = timing
    }
}
