/// Why a connection has to be failed: the close code to say so with, and the rule broken.
package struct WebSocketFailure: Error, Sendable, Equatable {
    package var code: UInt16
    package var reason: String

    /// The peer broke the framing rules.
    static func protocolError(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1002, reason: reason)
    }

    /// Text, or a close reason, that is not UTF-8.
    static func invalidText(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1007, reason: reason)
    }

    /// More than our limits allow.
    static func tooBig(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1009, reason: reason)
    }
}
