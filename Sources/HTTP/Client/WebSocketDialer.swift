package import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL

/// Opens WebSocket connections as a client.
package struct WebSocketDialer: Sendable {
    private let group: any EventLoopGroup
    private let tls: NIOSSLContext?
    private let checksPeer: PeerCheck?
    private let limits: WebSocketLimits
    private let random: @Sendable () -> UInt64

    /// Creates a dialer, which needs no shutdown.
    ///
    /// - Parameters:
    ///   - group: The event loops of its connections.
    ///   - tls: The TLS context; without it, a `wss` request is invalid.
    ///   - checksPeer: Checks the server's certificate, which is valid; `nil` accepts any.
    ///   - limits: The limits of each connection.
    ///   - random: Generates handshake and masking keys; from a secure source outside tests.
    package init(
        group: any EventLoopGroup,
        tls: NIOSSLContext? = nil,
        checksPeer: PeerCheck? = nil,
        limits: WebSocketLimits = WebSocketLimits(),
        random: @escaping @Sendable () -> UInt64
    ) {
        self.group = group
        self.tls = tls
        self.checksPeer = checksPeer
        self.limits = limits
        self.random = random
    }

    /// Dials once, without retries or redirects.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: The limit for transport, TLS and upgrade together.
    /// - Returns: The connection, or the server's response if it rejects the upgrade.
    /// - Throws: If there was no response, or an invalid one.
    package func dial(
        _ request: WebSocketRequest,
        timeout: Duration
    ) async throws(WebSocketDialError) -> WebSocketDialResult {
        let attempt = try DialAttempt(
            request,
            on: group.next(),
            tls: tls,
            checksPeer: checksPeer,
            limits: limits,
            random: random
        )
        return try await attempt.run(timeout: TimeAmount(timeout))
    }
}

/// Returns why the certificate of a server is not accepted although it is valid, or `nil`.
package typealias PeerCheck = @Sendable (NIOSSLCertificate?) -> String?

/// The outcome of a dial that was answered.
package enum WebSocketDialResult: Sendable {
    /// An open connection, with the headers of the 101.
    case open(WebSocketConnection, headers: [(String, String)])
    /// Any other response, with the part of its body that arrived in time, at most 64 KiB.
    case refused(status: Int, headers: [(String, String)], body: [UInt8])
}

/// The reason why a dial has no usable response.
package enum WebSocketDialError: Error, Sendable, Equatable {
    /// The request is invalid and was not sent.
    case invalidRequest(String)
    /// There is no transport: name not found, connection refused, no route.
    case connectFailed(TransportFailure)
    /// The TLS handshake failed, or the peer is not trusted; with the library's description, which
    /// alone has the reason, and is not for users.
    case tlsFailed(String)
    /// The time limit for transport, TLS and upgrade together was reached.
    case timedOut
    /// The transport ended before the response.
    case disconnected(TransportFailure)
    /// The response violates RFC 6455, by this rule, or is not HTTP.
    case badHandshake(String)
    /// The response violates HTTP or its limits.
    case badResponse(ResponseViolation)
    /// The check of the server's certificate failed, with its reason.
    case peerRejected(String)
    /// The proxy did not open a tunnel.
    case proxyRefused
    /// The proxy's answer is not HTTP.
    case proxyNotHTTP
    /// The proxy demands other credentials.
    case proxyCredentials
    /// The caller was cancelled.
    case cancelled
}

extension WebSocketDialError {
    /// Creates the error for a failure of an existing transport.
    init(_ error: any Error) {
        switch error {
        case let error as WebSocketDialError:
            self = error
        case let violation as ResponseViolation:
            self = .badResponse(violation)
        case NIOSSLError.uncleanShutdown:
            self = .disconnected(.ended)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .tlsFailed(String(describing: error))
        case let error as NIOHTTPClientUpgradeError where error == .responseProtocolNotFound:
            self = .badHandshake("no Upgrade: websocket")
        case is NIOHTTPClientUpgradeError:
            self = .badHandshake("its parts are out of order")
        case HTTPParserError.invalidEOFState:
            self = .disconnected(.ended)
        case HTTPParserError.headerOverflow:
            self = .badHandshake("too many headers")
        case is HTTPParserError, is NIOHTTPDecoderError:
            self = .badHandshake("not valid HTTP")
        default:
            self = .disconnected(TransportFailure(error))
        }
    }

    /// Creates the error for a transport that could not be established.
    init(connecting error: any Error) {
        switch error {
        case ChannelError.connectTimeout:
            self = .timedOut
        case let error as NIOConnectionError where !error.connectionErrors.isEmpty:
            // Of several addresses, the first one determines it.
            self.init(connecting: error.connectionErrors[0].error)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .tlsFailed(String(describing: error))
        default:
            self = .connectFailed(TransportFailure(error))
        }
    }
}
