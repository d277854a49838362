package import Dialects
package import Lifecycle
package import Timekeeping

/// Opens feed sockets to one backend's origin.
package protocol FeedTransport: Sendable {
    /// Dials once. Never throws: what went wrong is an outcome.
    ///
    /// Cancelling the calling task closes what was opened so far.
    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome
}

package enum FeedDialOutcome: Sendable {
    case opened(any FeedConnection)
    /// The upgrade was answered with another status than 101.
    case refused(status: Int, retryAfter: RetryAfter?)
    /// No answer to the upgrade: what the system says of it.
    case failed(detail: String)
}

/// One open feed socket.
package protocol FeedConnection: Sendable {
    /// What arrives, in order, ended by `closed`. For one reader; bounded, and slow reading slows
    /// the sender.
    func nextEvent() async -> FeedConnectionEvent
    func send(text: String) async
    /// The pong arrives as an event.
    func ping() async
    /// Closes with the handshake, or without it when the peer does not answer within 2 s.
    func close(code: Int, reason: String) async
}

package enum FeedConnectionEvent: Sendable, Equatable {
    case text(String)
    case pong
    /// Final: every later call returns it again. 1005 is a close frame without a code, 1006 a
    /// transport that ended without one.
    case closed(code: Int, by: FeedCloser, reason: String)
}
