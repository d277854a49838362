package import Dialects
package import Lifecycle
package import Timekeeping

/// HTTP to one backend's origin.
package protocol TokenTransport: Sendable {
    /// Sends the request once, to the origin and nowhere else, and follows no redirect.
    ///
    /// Never throws: what went wrong is an outcome, because it decides whether a token is spent.
    ///
    /// - Parameters:
    ///   - request: Relative to the base URL.
    ///   - connection: A connection of its own for what must not be lost to a closing one.
    ///   - deadline: When to give up; what is then `unanswered` or `notSent` depends on whether the
    ///     head had left.
    /// - Returns: How it went.
    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport

    /// Asks the origin for anything at all, without a credential: whether the network is back.
    func probe(deadline: Instant) async -> Bool
}

package enum ConnectionUse: Sendable, Hashable {
    /// One connection for this request alone: token endpoints.
    case own
    /// One of a pool.
    case shared
}

/// How an exchange went.
package struct TransportReport: Sendable {
    /// A body has at most 1 MiB.
    package var outcome: Outcome<WireResponse>
    /// When the request was handed to the network.
    package var sentAt: Moment
    /// When the answer was whole, or the attempt given up.
    package var endedAt: Moment
    package var timing: RequestTiming

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
