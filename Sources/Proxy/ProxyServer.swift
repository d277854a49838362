package import Basics
import NIOCore
import NIOPosix
import Platform

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Listens for apps, each port standing in for one origin, and relays what they send.
package actor ProxyServer {
    private let requested: [ProxiedOrigin]
    private let configuration: ProxyConfiguration
    private let timekeeper: any Timekeeper
    private let group: MultiThreadedEventLoopGroup
    /// Of all connections, so that there is one order of everything that is seen.
    private let loop: any EventLoop
    private let shared: NIOLoopBoundBox<RelayContext>
    private var ports: [any Channel] = []
    private var isStopped = false
    /// The port of the forward proxy once it listens.
    package private(set) var forwardPort: Int?

    /// - Parameters:
    ///   - origins: The origins and the ports to listen on, 0 being any that is free.
    ///   - configuration: The ports, and the changes to messages.
    ///   - timekeeper: The clocks for what is observed.
    ///   - observer: Gets everything that passes.
    ///   - injector: Decides on the faults of experiments.
    package init(
        _ origins: [ProxiedOrigin],
        configuration: ProxyConfiguration = ProxyConfiguration(),
        timekeeper: any Timekeeper,
        observer: any TrafficObserver,
        injector: any FaultInjector = NoFaults()
    ) {
        requested = origins
        self.configuration = configuration
        self.timekeeper = timekeeper
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        shared = .makeBoxSendingValue(
            RelayContext(on: loop, observer: observer, injector: injector, timekeeper: timekeeper),
            eventLoop: loop
        )
        injector.attach { [loop, shared] order in
            loop.execute { shared.value.perform(order) }
        }
    }

    /// Begins to listen; may be called once.
    ///
    /// - Returns: The origins in their order, with the ports on which the proxy stands in for them.
    /// - Throws: `ProxyError`; then nothing listens, and the server is stopped.
    package func start() async throws(ProxyError) -> [ProxiedOrigin] {
        do throws(ProxyError) {
            let bound = try await bindAll()
            if let own = bound.first(where: { leadsBack($0.origin, among: bound) }) {
                throw .loop(own.origin.description)
            }
            try await serve(bound)
            return bound
        } catch {
            await stop()
            throw error
        }
    }

    /// Waits until everything that has been relayed was observed.
    package func settle() async {
        try? await loop.submit { [shared] in shared.value.reportDoubtedIssuer() }.get()
    }

    /// Closes all ports and connections, and then ends the thread that serves them.
    package func stop() async {
        // The loop takes nothing any more once it has ended.
        guard !isStopped else { return }
        isStopped = true
        // Another program may listen at the path as soon as this one does not.
        if let path = configuration.socketPath, !ports.isEmpty { LocalSocket(path).remove() }
        for port in ports { try? await port.close() }
        ports = []
        try? await loop.submit { [shared] in shared.value.closeAll() }.get()
        // Nothing comes to the loop once it has ended.
        await configuration.serving?.settle()
        try? await group.shutdownGracefully()
    }

    /// Connections wait in the system until all ports are known.
    private func bindAll() async throws(ProxyError) -> [ProxiedOrigin] {
        if let path = configuration.socketPath {
            ports.append(try await LocalSocket(path).bind(bootstrap(for: 0), on: loop))
            return requested
        }
        var bound: [ProxiedOrigin] = []
        for (index, proxied) in requested.enumerated() {
            do {
                let channel = try await bootstrap(for: index)
                    .bind(host: configuration.host, port: proxied.port)
                    .get()
                ports.append(channel)
                let port = channel.localAddress?.port ?? proxied.port
                bound.append(ProxiedOrigin(proxied.origin, port: port))
            } catch {
                throw ProxyError(listening: error, at: configuration.host, port: proxied.port)
            }
        }
        if let forward = configuration.forward { try await bind(forward) }
        return bound
    }

    private func bind(_ forward: ProxyConfiguration.Forward) async throws(ProxyError) {
        do {
            let channel = try await bootstrap { channel, relay in
                guard let forwarding = relay.forwarding else { return }
                try channel.pipeline.syncOperations
                    .addHandler(ForwardChannel(forwarding, shared: relay))
            }
            .bind(host: configuration.host, port: forward.port)
            .get()
            ports.append(channel)
            forwardPort = channel.localAddress?.port ?? forward.port
        } catch {
            throw ProxyError(listening: error, at: configuration.host, port: forward.port)
        }
    }

    private func bootstrap(for index: Int) -> ServerBootstrap {
        bootstrap { channel, relay in
            let app = AppChannel(relay.listeners[index], shared: relay)
            let operations = channel.pipeline.syncOperations
            if let tls = relay.tls {
                try operations.addHandler(TLSDetectionHandler(tls, app: app))
            }
            try operations.addHandler(app)
        }
    }

    /// `prepare` adds the handlers of a connection.
    private func bootstrap(
        _ prepare: @escaping @Sendable (any Channel, RelayContext) throws -> Void
    ) -> ServerBootstrap {
        let shared = shared
        let bootstrap = ServerBootstrap(group: loop)
            .pausingWhenExhausted()
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: false)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel, shared.value) }
            }
        // A Unix socket has no options of TCP.
        guard configuration.socketPath == nil else { return bootstrap }
        return bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    /// Returns whether requests to an origin certainly come back to the proxy; a name or another
    /// address of this machine is recognized when a connection is opened.
    private func leadsBack(_ origin: BackendOrigin, among bound: [ProxiedOrigin]) -> Bool {
        origin.isLoopback && bound.contains { $0.port == origin.port }
    }

    private func serve(_ bound: [ProxiedOrigin]) async throws(ProxyError) {
        let origins = ProxiedOrigins(bound, isSecure: configuration.authority != nil)
        let rewriting = HeadRewriter.Options(
            keepsHost: configuration.keepsHost,
            keepsEncoding: configuration.keepsEncoding,
            addsForwarded: configuration.addsForwarded,
            crossOriginAccess: configuration.crossOriginAccess
        )
        var listeners: [Listener] = []
        do {
            for (index, proxied) in bound.enumerated() {
                listeners.append(
                    Listener(
                        origin: proxied.origin,
                        rewriter: HeadRewriter(origins, index: index, options: rewriting),
                        connector: try OriginConnector(
                            to: proxied.origin,
                            trust: configuration.trust,
                            security: configuration.security,
                            timekeeper: timekeeper,
                            on: loop,
                            within: configuration.connectTimeout
                        )
                    )
                )
            }
            let ready = listeners
            let hosts = ProxyHosts(
                named: configuration.allowedHosts,
                addresses: configuration.addresses
            )
            let limits = configuration.idleLimits
            let tls = try configuration.authority?
                .serverContext(at: timekeeper.moment.wall, addresses: configuration.addresses)
            let forwardPort = forwardPort
            try await loop.submit { [shared, configuration, timekeeper, loop] in
                if let forward = configuration.forward {
                    shared.value.forwarding = Forwarding(
                        forward,
                        trust: configuration.trust,
                        timekeeper: timekeeper,
                        on: loop,
                        within: configuration.connectTimeout,
                        keepsEncoding: configuration.keepsEncoding
                    )
                }
                shared.value.listeners = ready
                shared.value.processes = configuration.processes
                shared.value.serving = configuration.serving
                shared.value.isLocalSocket = configuration.socketPath != nil
                shared.value.tls = tls
                shared.value.ports = Set(bound.map(\.port) + [forwardPort].compactMap(\.self))
                shared.value.hosts = hosts
                shared.value.resetWindow = configuration.resetWindow
                shared.value.farewell = configuration.farewell
                shared.value.issuerTimeout = configuration.issuerTimeout
                shared.value.closeIdleConnections(after: limits)
            }
            .get()
            for port in ports { try await port.setOption(.autoRead, value: true).get() }
        } catch {
            throw .unusable(String(describing: type(of: error)))
        }
    }
}

/// The reason why a proxy does not start.
package enum ProxyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another program listens there.
    case portInUse(host: String, port: Int)
    /// A port below 1024, which only the system's administrator may use.
    case portNotPermitted(host: String, port: Int)
    /// The host is not an address of this machine.
    case badHost(String)
    /// The path of a socket, with the reason why it cannot be used.
    case badSocket(path: String, reason: String)
    /// The origin is the proxy itself.
    case loop(String)
    /// TLS, or the network, cannot be set up; the type of the library's error.
    case unusable(String)

    init(listening error: any Error, at host: String, port: Int) {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: self = .portInUse(host: host, port: port)
        case EACCES, EPERM: self = .portNotPermitted(host: host, port: port)
        default: self = .badHost(host)
        }
    }

    package var description: String {
        switch self {
        case .portInUse(let host, let port):
            "another program listens at \(host):\(port): choose another port, or 0 for a free one"
        case .portNotPermitted(let host, let port):
            "not permitted to listen at \(host):\(port): choose a port from 1024 on"
        case .badHost(let host): "cannot listen at \(host): use an address of this machine"
        case .badSocket(let path, let reason): "cannot listen at \(path): \(reason)"
        case .loop(let origin):
            "\(origin) is the proxy itself: name the backend's own address, or another port"
        case .unusable(let type): "the network cannot be used: \(type)"
        }
    }
}
