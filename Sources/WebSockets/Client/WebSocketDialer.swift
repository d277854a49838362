package import NIOCore
package import NIOSSL

/// Opens connections as a client.
package struct WebSocketDialer: Sendable {
    private let group: any EventLoopGroup
    private let tls: NIOSSLContext?
    private let limits: WebSocketLimits
    private let random: @Sendable () -> UInt64

    /// A dialer; it holds nothing that would have to be ended.
    ///
    /// - Parameters:
    ///   - group: Its connections live on these loops.
    ///   - tls: Whom to trust; without it a `wss` request is invalid.
    ///   - limits: Of each connection.
    ///   - random: Handshake and mask keys; from a secure source outside tests.
    package init(
        group: any EventLoopGroup,
        tls: NIOSSLContext? = nil,
        limits: WebSocketLimits = WebSocketLimits(),
        random: @escaping @Sendable () -> UInt64
    ) {
        self.group = group
        self.tls = tls
        self.limits = limits
        self.random = random
    }

    /// Dials once: no retries, no redirects.
    ///
    /// - Parameters:
    ///   - request: What to ask for.
    ///   - timeout: For transport, TLS and upgrade together.
    /// - Returns: Any answer: the connection, or what the server said instead.
    /// - Throws: When there was no answer, or one that cannot be understood.
    package func dial(
        _ request: WebSocketRequest,
        timeout: Duration
    ) async throws(WebSocketDialError) -> WebSocketDialResult {
        let attempt = try DialAttempt(
            request,
            on: group.next(),
            tls: tls,
            limits: limits,
            random: random
        )
        return try await attempt.run(timeout: TimeAmount(timeout))
    }
}
