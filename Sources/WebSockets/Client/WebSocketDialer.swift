package import NIOCore
import NIOHTTP1
import NIOPosix
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

/// What became of a dial that was answered.
package enum WebSocketDialResult: Sendable {
    /// With the headers of the 101.
    case open(WebSocketConnection, headers: [(String, String)])
    /// Any other answer; of its body what came in time, 64 KiB at most.
    case refused(status: Int, headers: [(String, String)], body: [UInt8])
}

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

extension WebSocketDialError {
    /// An error that came up once there was a transport.
    init(_ error: any Error) {
        switch error {
        case let error as WebSocketDialError:
            self = error
        case let violation as ResponseViolation:
            self = .badResponse(violation)
        case NIOSSLError.uncleanShutdown:
            self = .disconnected("before the answer")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .tlsFailed(String(describing: error))
        case is NIOHTTPClientUpgradeError, is HTTPParserError:
            self = .badHandshake(String(describing: error))
        case ChannelError.inappropriateOperationForState, ChannelError.eof:
            self = .disconnected("before the answer")
        default:
            self = .disconnected(String(describing: error))
        }
    }

    /// An error that came instead of a transport.
    init(connecting error: any Error) {
        switch error {
        case ChannelError.connectTimeout:
            self = .timedOut
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .tlsFailed(String(describing: error))
        default:
            self = .connectFailed(String(describing: error))
        }
    }
}
