import NIOCore
import NIOPosix
import NIOSSL
import WebSockets

/// Real sockets, as long as `withNetwork` runs.
package struct NetworkContext: Sendable {
    private let configuration: NetworkConfiguration
    private let loop: any EventLoop
    private let clients: HTTPClients

    fileprivate init(configuration: NetworkConfiguration, loop: any EventLoop) {
        self.configuration = configuration
        self.loop = loop
        clients = HTTPClients(
            on: loop,
            tls: configuration.trust.clientConfiguration,
            connectTimeout: TimeAmount(configuration.connectTimeout)
        )
    }

    package func tokenTransport(to origin: BackendOrigin) -> HTTPTokenTransport {
        HTTPTokenTransport(origin: origin, clients: clients, configuration: configuration)
    }

    /// - Throws: When the trust roots cannot be used, for an origin under TLS.
    package func feedTransport(to origin: BackendOrigin) throws -> WebSocketFeedTransport {
        let tls =
            try origin.isSecure
            ? NIOSSLContext(configuration: configuration.trust.clientConfiguration)
            : nil
        let random = configuration.random
        return WebSocketFeedTransport(
            origin: origin,
            dialer: WebSocketDialer(group: loop, tls: tls, random: random),
            configuration: configuration
        )
    }

    fileprivate func shutDown() async throws {
        try await clients.shutDown()
    }
}

/// Runs `body` with the network, and ends every connection when it returns or throws.
///
/// One thread serves all sockets: what is decided about a request, and what becomes of it, then
/// happens in one order.
package func withNetwork<Value>(
    _ configuration: NetworkConfiguration,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (NetworkContext) async throws -> Value
) async throws -> Value {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let network = NetworkContext(configuration: configuration, loop: group.next())
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(network))
    } catch {
        result = .failure(error)
    }
    try await network.shutDown()
    try await group.shutdownGracefully()
    return try result.get()
}
