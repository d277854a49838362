import HTTP
import NIOPosix
import NIOSSL
import Testing

/// The opening of a dial that has to succeed.
struct NotOpen: Error {
    var result: WebSocketDialResult
}

extension WebSocketLimits {
    /// For a peer that answers, however busy the machine is.
    static let patient = WebSocketLimits(closeTimeout: .seconds(60))
}

extension WebSocketDialer {
    /// A dialer whose keys are random.
    static func unpredictable(
        tls: NIOSSLContext? = nil,
        limits: WebSocketLimits = .patient
    ) -> WebSocketDialer {
        WebSocketDialer(group: .singletonMultiThreadedEventLoopGroup, tls: tls, limits: limits) {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        }
    }

    /// A dialer whose handshake key, and with it the accepting answer, is always the same.
    static let predictable = WebSocketDialer(
        group: .singletonMultiThreadedEventLoopGroup,
        random: { 0 }
    )

    func open(_ request: WebSocketRequest) async throws -> WebSocketConnection {
        let result = try await dial(request, timeout: .seconds(20))
        guard case .open(let connection, _) = result else { throw NotOpen(result: result) }
        return connection
    }
}

extension WebSocketRequest {
    static func local(
        _ port: Int,
        path: String = "/",
        headers: [(String, String)] = [],
        subprotocols: [String] = [],
        compression: WebSocketCompression? = WebSocketCompression()
    ) -> WebSocketRequest {
        WebSocketRequest(
            scheme: .ws,
            host: "127.0.0.1",
            port: port,
            path: path,
            headers: headers,
            subprotocols: subprotocols,
            compression: compression
        )
    }
}

/// The 101 that a `WebSocketDialer.predictable` accepts.
func acceptance(
    accept: String = "ICX+Yqv66kxgM0FcWaLWlFLwTAI=",
    connection: String = "Upgrade",
    upgrade: String = "websocket",
    more: String = ""
) -> String {
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: \(upgrade)\r\nConnection: \(connection)\r\n"
        + "Sec-WebSocket-Accept: \(accept)\r\n\(more)\r\n"
}
