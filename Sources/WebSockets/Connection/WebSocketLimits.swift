/// How much one connection may take.
package struct WebSocketLimits: Sendable, Equatable {
    /// Bytes of one message, over all its fragments; more fails the connection with 1009.
    package var maximumMessage: Int
    /// Bytes of one frame; more fails the connection with 1009.
    package var maximumFrame: Int
    /// From the first close frame, ours or the peer's, to the end of the transport at the latest.
    package var closeTimeout: Duration
    /// With this many events unread, nothing more is read from the transport.
    package var queuedEvents: Int
    /// With this many bytes of messages unread, nothing more is read from the transport.
    ///
    /// One message may go beyond it, so that the bound is this and `maximumMessage` together.
    package var queuedBytes: Int

    package init(
        maximumMessage: Int = 1 << 20,
        maximumFrame: Int = 1 << 20,
        closeTimeout: Duration = .seconds(2),
        queuedEvents: Int = 256,
        queuedBytes: Int = 4 << 20
    ) {
        self.maximumMessage = maximumMessage
        self.maximumFrame = maximumFrame
        self.closeTimeout = closeTimeout
        self.queuedEvents = queuedEvents
        self.queuedBytes = queuedBytes
    }
}
