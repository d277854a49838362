/// How a connection ended.
package struct WebSocketCloseReport: Sendable, Equatable {
    /// Who brought the end about.
    package enum Initiator: Sendable, Equatable {
        /// We sent the first close frame, or failed the connection.
        case us
        /// The peer sent the first close frame.
        case peer
        /// The transport ended, and nobody had sent a close frame.
        case transport
    }

    /// The code of the peer's close frame, 1005 when it had none; 1006 when none came; our own
    /// code when we failed the connection because of what the peer sent.
    package var code: UInt16
    /// What the peer's close frame said, the rule it broke, or what happened to the transport.
    package var reason: String
    package var initiator: Initiator
    /// Both sides sent a close frame.
    package var clean: Bool

    package init(code: UInt16, reason: String, initiator: Initiator, clean: Bool) {
        self.code = code
        self.reason = reason
        self.initiator = initiator
        self.clean = clean
    }
}
