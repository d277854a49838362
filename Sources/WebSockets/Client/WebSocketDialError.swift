/// Why a dial got no answer, or none that can be used.
package enum WebSocketDialError: Error, Sendable, Equatable {
    /// The request cannot be sent as it stands; nothing was sent.
    case invalidRequest(String)
    /// No transport: name not found, connection refused, no route.
    case connectFailed(String)
    /// The transport was there; its encryption, or the trust in the peer, was not.
    case tlsFailed(String)
    /// The limit for transport, encryption and upgrade together.
    case timedOut
    /// The transport ended before the answer.
    case disconnected(String)
    /// An answer that breaks RFC 6455, or that the decoder cannot read as HTTP.
    case badHandshake(String)
    /// An answer that is refused as a response.
    case badResponse(ResponseViolation)
    /// The caller was cancelled.
    case cancelled
}
