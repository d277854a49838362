package import Dialects
package import Lifecycle
package import Timekeeping

/// Opens WebSocket connections to one backend's origin.
package protocol FeedTransport: Sendable {
    /// Opens a connection. Never throws: failures are outcomes.
    ///
    /// Cancelling the calling task closes whatever was opened so far.
    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome
}

package enum FeedDialOutcome: Sendable {
    case opened(any FeedConnection)
    /// The server answered the upgrade with a status other than 101; of the body, with the beginning.
    case refused(WireResponse)
    /// The server did not answer the upgrade; the detail is the system's message.
    case failed(detail: String)
}

/// One open WebSocket connection of the feed.
package protocol FeedConnection: Sendable {
    /// Returns the next event, in order; the last one is `closed`. For one reader. The buffer is
    /// bounded, so that slow reading slows the sender.
    func nextEvent() async -> FeedConnectionEvent
    func send(text: String) async
    /// Sends a ping; the pong arrives as an event.
    func ping() async
    /// What has come compressed so far; `nil` if messages are not compressed.
    func traffic() async -> FeedTraffic?
    /// Closes with the closing handshake, or without it if the server does not respond within 2 s.
    func close(code: Int, reason: String) async
    /// Ends the transport without a close frame, as a failure of the network does.
    func cut() async
}

package enum FeedConnectionEvent: Sendable, Equatable {
    case text(String)
    case pong
    /// The end: every later call returns it again. 1005 means a close frame without a code, 1006 a
    /// transport that ended without a close frame.
    case closed(code: Int, by: FeedCloser, reason: String)
}
