package import Client
import HTTP
import Model
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Access to the network, valid while `withNetwork` runs.
package struct NetworkContext: Sendable {
    private let configuration: NetworkConfiguration
    private let loop: any EventLoop
    private let gate = NetworkGate()
    private let clients: HTTPClientPool
    private let tls: TLSContexts

    fileprivate init(configuration: NetworkConfiguration, loop: any EventLoop) {
        self.configuration = configuration
        self.loop = loop
        tls = TLSContexts(trust: configuration.trust)
        let connectTimeout = TimeAmount(configuration.connectTimeout)
        let openings = HTTP2Openings(on: loop, connectTimeout: connectTimeout)
        clients = HTTPClientPool { route in
            HTTPClients(
                on: loop,
                tls: configuration.trust.clientConfiguration,
                route: route,
                connectTimeout: connectTimeout,
                openings: openings
            )
        }
    }

    package func tokenTransport(to origin: BackendOrigin) -> HTTPTokenTransport {
        tokenTransport(to: BackendOrigins(origin))
    }

    package func tokenTransport(to origins: BackendOrigins) -> HTTPTokenTransport {
        HTTPTokenTransport(
            origins: origins,
            clients: clients,
            certificates: certificates,
            gate: gate,
            configuration: configuration
        )
    }

    /// - Throws: If the trust roots cannot be used for an origin with TLS.
    func feedTransport(to origin: BackendOrigin) throws -> any FeedTransport {
        try feedTransport(to: BackendOrigins(origin))
    }

    /// - Throws: If the trust roots cannot be used for an origin with TLS.
    package func feedTransport(to origins: BackendOrigins) throws -> any FeedTransport {
        NetworkFeedTransport(
            webSockets: try webSockets(to: origins),
            negotiator: FeedNegotiator(
                origins: origins,
                requests: { tokenTransport(to: $0) },
                webSockets: { try webSockets(to: $0) }
            ),
            eventStreams: EventStreamFeedTransport(
                origins: origins,
                clients: clients,
                certificates: certificates,
                gate: gate,
                configuration: configuration
            )
        )
    }

    private func webSockets(to origins: BackendOrigins) throws -> WebSocketFeedTransport {
        WebSocketFeedTransport(
            origins: origins,
            dialer: WebSocketDialer(
                group: loop,
                tls: origins.areSecure ? try tls.context(for: origins.security) : nil,
                checksPeer: origins.security.pins.isEmpty ? nil : origins.security.mismatch,
                limits: WebSocketLimits(readInterval: WebSocketFeedTransport.readInterval),
                random: configuration.random
            ),
            certificates: certificates,
            gate: gate,
            configuration: configuration
        )
    }

    /// Receives the redirects of logins on this machine.
    package var redirects: LoopbackRedirects { LoopbackRedirects(on: loop) }

    private var certificates: CertificateProbe {
        CertificateProbe(
            on: loop,
            trust: configuration.trust,
            timekeeper: configuration.timekeeper
        )
    }

    /// Closes every connection, and then ends the thread that serves them.
    ///
    /// A connection that is still being established cannot be cancelled and is not waited for: it, and
    /// then the thread, end when its timeout does.
    fileprivate func shutDown(_ group: MultiThreadedEventLoopGroup) async {
        gate.close()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiting = Mutex(Optional(continuation))
            @Sendable func goOn() {
                waiting.withLock { $0.take() }?.resume()
            }
            _ = loop.scheduleTask(in: .milliseconds(500)) { goOn() }
            clients.shutDown(on: loop).whenComplete { [gate, loop] _ in
                gate.whenEmpty {
                    goOn()
                    _ = loop.scheduleTask(in: Self.lookupTime) {
                        group.shutdownGracefully { _ in }
                    }
                }
            }
        }
    }

    /// The time in which the lookup of an address is over that nothing waits for any more: it is on a thread
    /// of its own, and answers to the loop even if the request was cancelled.
    private static let lookupTime = TimeAmount.seconds(1)
}

/// Runs `body` with the network, and closes every connection when it returns or throws.
///
/// One thread serves all sockets, so that decisions about a request and their outcomes happen in
/// one order.
package func withNetwork<Value, Failure: Error>(
    _ configuration: NetworkConfiguration,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (NetworkContext) async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let network = NetworkContext(configuration: configuration, loop: group.next())
    let result: Result<Value, Failure>
    do throws(Failure) {
        result = .success(try await body(network))
    } catch {
        result = .failure(error)
    }
    await network.shutDown(group)
    return try result.get()
}
