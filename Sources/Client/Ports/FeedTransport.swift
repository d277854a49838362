package import Basics
package import Model
package import Profiles

/// Opens connections for the feed of one backend: WebSockets and event streams.
package protocol FeedTransport: Sendable {
    /// Opens a connection. Never throws: failures are outcomes.
    ///
    /// Cancelling the calling task closes whatever was opened so far.
    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome
}

package enum FeedDialOutcome: Sendable {
    case opened(any FeedConnection)
    /// The server answered otherwise than with a feed; of the body, with the beginning.
    case refused(WireResponse)
    /// The server did not answer; the detail is the system's message.
    case failed(detail: String)
}

/// One open connection of the feed; on an event stream, nothing can be sent.
package protocol FeedConnection: Sendable {
    /// What the server has given the client to open it with.
    var secrets: [Secret] { get }
    /// Waits for the next events, and returns those that have arrived, in order, at most `limit` of
    /// them; the last one is `closed`. For one reader. The buffer is bounded, so that slow reading
    /// slows the sender.
    func nextEvents(atMost limit: Int) async -> [FeedConnectionEvent]
    func send(text: String) async
    /// Sends a ping; the pong arrives as an event.
    func ping() async
    /// The compressed traffic so far; `nil` if messages are not compressed.
    func traffic() async -> FeedTraffic?
    /// Closes with the closing handshake, or without it if the server does not respond within 2 s.
    func close(code: Int, reason: String) async
    /// Ends the transport without a close frame, as a failure of the network does.
    func cut() async
}

extension FeedConnection {
    package var secrets: [Secret] { [] }

    /// Waits for the next event.
    package func nextEvent() async -> FeedConnectionEvent {
        await nextEvents(atMost: 1)[0]
    }
}

package enum FeedConnectionEvent: Sendable, Equatable {
    case text(String)
    /// An event of a stream.
    case event(id: String?, type: String?, data: String)
    case pong
    /// A comment of a stream.
    case keepAlive
    /// The id after which a stream is to be resumed; it may be empty.
    case position(String)
    /// The reconnection time of a stream, in milliseconds.
    case reconnectionTime(Int)
    /// The end: every later call returns it alone. 1005 means a close frame without a code, or the
    /// end of a stream, 1006 a transport that ended without either.
    case closed(code: Int, by: FeedCloser, reason: String)
}
