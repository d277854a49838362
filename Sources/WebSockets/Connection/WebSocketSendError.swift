/// Why a message, or a ping, was not sent.
package enum WebSocketSendError: Error, Sendable, Equatable {
    /// One side has sent its close frame, or the connection has ended.
    case closed
    /// The transport failed before all of it was out; it may have arrived in part, never whole.
    case transport(String)
    /// A ping carries at most 125 bytes.
    case pingTooLong
    /// The caller was cancelled while waiting; the whole of it still goes out, if the peer reads.
    case cancelled
}
