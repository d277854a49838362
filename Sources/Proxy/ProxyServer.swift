package import Basics
import NIOCore
import NIOPosix
package import Platform

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The ports of a proxy, and its changes to messages.
package struct ProxyOptions: Sendable {
    /// The address to listen at.
    package var host = "127.0.0.1"
    /// The addresses by which other machines reach the proxy.
    package var addresses: [NetworkAddress] = []
    /// The names and addresses in `Host` that are served besides those of this machine.
    package var allowedHosts: [String] = []
    /// Whether the backend gets the `Host` that the app sent.
    package var keepsHost = false
    /// Whether the app's `Accept-Encoding` stays, although such bodies cannot be read.
    package var keepsEncoding = false
    /// Whether `X-Forwarded-For`, `-Host` and `-Proto` are added to requests.
    package var addsForwarded = false
    /// The pages that get to read answers which the backend keeps from their origins, or `nil` if what
    /// answers say of that stays.
    package var crossOriginAccess: CrossOriginAccess?
    /// Vouches for the server, which then speaks TLS; `nil` for plain HTTP.
    package var authority: LocalAuthority?
    /// A forward proxy beside the origins, or `nil` for none.
    package var forward: Forward?
    var trust: TrustRoots
    /// The limit for DNS, TCP and TLS together.
    var connectTimeout: Duration
    var idleLimits = IdleLimits()
    /// Finds the processes behind connections, or `nil` if they are not looked for.
    package var processes: ConnectionProcesses?
    /// The time within which a reset says that the app had not read what was written, as it does where
    /// the app had closed its connection before that came.
    var resetWindow = TimeAmount.seconds(2)
    /// The time that an app has to end a connection with TLS itself after its last answer, before it
    /// is ended here.
    var farewell = TimeAmount.milliseconds(100)
    /// The time after which an app that has sent nothing may have refused metadata.
    var issuerTimeout = TimeAmount.seconds(5)

    package init(trust: TrustRoots = .system, connectTimeout: Duration = .seconds(10)) {
        self.trust = trust
        self.connectTimeout = connectTimeout
    }
}

extension ProxyOptions {
    /// A port to which programs send all their requests, each of which names its server.
    package struct Forward: Sendable {
        let hosts: ForwardedHosts
        let port: Int
        let authority: LocalAuthority
        /// Whether hosts that are not named may be this machine.
        var allowsNear = false

        /// - Parameters:
        ///   - hosts: Those whose connections are opened.
        ///   - port: The port to listen on, 0 being any that is free.
        ///   - authority: Vouches for these hosts.
        package init(_ hosts: ForwardedHosts, port: Int, authority: LocalAuthority) {
            self.hosts = hosts
            self.port = port
            self.authority = authority
        }
    }
}

/// The time that a connection of an app may wait without a request, in seconds.
struct IdleLimits: Sendable {
    /// From the first byte of a request's head to its end.
    var head = 30.0
    /// Without a byte of a request; a browser keeps a spare connection for five minutes.
    var idle = 360.0

    init() {}
}

/// Listens for apps, each port standing in for one origin, and relays what they send.
package actor ProxyServer {
    private let requested: [ProxiedOrigin]
    private let options: ProxyOptions
    private let timekeeper: any Timekeeper
    private let group: MultiThreadedEventLoopGroup
    /// Of all connections, so that there is one order of everything that is seen.
    private let loop: any EventLoop
    private let shared: NIOLoopBoundBox<RelayContext>
    private var ports: [any Channel] = []
    /// The port of the forward proxy once it listens.
    package private(set) var forwardPort: Int?

    /// - Parameters:
    ///   - origins: The origins and the ports to listen on, 0 being any that is free.
    ///   - options: The ports, and the changes to messages.
    ///   - timekeeper: The clocks for what is observed.
    ///   - observer: Gets everything that passes.
    ///   - injector: Decides on the faults of experiments.
    package init(
        _ origins: [ProxiedOrigin],
        options: ProxyOptions = ProxyOptions(),
        timekeeper: any Timekeeper,
        observer: any TrafficObserver,
        injector: any FaultInjector = NoFaults()
    ) {
        requested = origins
        self.options = options
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
        try? await loop.submit { [shared] in shared.value.settle() }.get()
    }

    /// Closes all ports and connections, and then ends the thread that serves them.
    package func stop() async {
        for port in ports { try? await port.close() }
        ports = []
        try? await loop.submit { [shared] in shared.value.closeAll() }.get()
        try? await group.shutdownGracefully()
    }

    /// Connections wait in the system until all ports are known.
    private func bindAll() async throws(ProxyError) -> [ProxiedOrigin] {
        var bound: [ProxiedOrigin] = []
        for (index, proxied) in requested.enumerated() {
            do {
                let channel = try await bootstrap(for: index)
                    .bind(host: options.host, port: proxied.port)
                    .get()
                ports.append(channel)
                let port = channel.localAddress?.port ?? proxied.port
                bound.append(ProxiedOrigin(proxied.origin, port: port))
            } catch {
                throw ProxyError(listening: error, at: options.host, port: proxied.port)
            }
        }
        if let forward = options.forward { try await bind(forward) }
        return bound
    }

    private func bind(_ forward: ProxyOptions.Forward) async throws(ProxyError) {
        do {
            let channel = try await bootstrap { channel, relay in
                guard let forwarding = relay.forwarding else { return }
                try channel.pipeline.syncOperations
                    .addHandler(ForwardChannel(forwarding, shared: relay))
            }
            .bind(host: options.host, port: forward.port)
            .get()
            ports.append(channel)
            forwardPort = channel.localAddress?.port ?? forward.port
        } catch {
            throw ProxyError(listening: error, at: options.host, port: forward.port)
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
        return ServerBootstrap(group: loop)
            .pausingWhenExhausted()
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: false)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel, shared.value) }
            }
    }

    /// Returns whether requests to an origin certainly come back to the proxy; a name or another
    /// address of this machine is recognized when a connection is opened.
    private func leadsBack(_ origin: BackendOrigin, among bound: [ProxiedOrigin]) -> Bool {
        origin.isLoopback && bound.contains { $0.port == origin.port }
    }

    private func serve(_ bound: [ProxiedOrigin]) async throws(ProxyError) {
        let origins = ProxiedOrigins(bound, isSecure: options.authority != nil)
        let rewriting = HeadRewriter.Options(
            keepsHost: options.keepsHost,
            keepsEncoding: options.keepsEncoding,
            addsForwarded: options.addsForwarded,
            crossOriginAccess: options.crossOriginAccess
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
                            trust: options.trust,
                            timekeeper: timekeeper,
                            on: loop,
                            within: options.connectTimeout
                        )
                    )
                )
            }
            let ready = listeners
            let hosts = ProxyHosts(named: options.allowedHosts, addresses: options.addresses)
            let limits = options.idleLimits
            let tls = try options.authority?
                .serverContext(at: timekeeper.moment.wall, addresses: options.addresses)
            let forwardPort = forwardPort
            try await loop.submit { [shared, options, timekeeper, loop] in
                if let forward = options.forward {
                    shared.value.forwarding = Forwarding(
                        forward,
                        trust: options.trust,
                        timekeeper: timekeeper,
                        on: loop,
                        within: options.connectTimeout,
                        keepsEncoding: options.keepsEncoding
                    )
                }
                shared.value.listeners = ready
                shared.value.processes = options.processes
                shared.value.tls = tls
                shared.value.ports = Set(bound.map(\.port) + [forwardPort].compactMap(\.self))
                shared.value.hosts = hosts
                shared.value.resetWindow = options.resetWindow
                shared.value.farewell = options.farewell
                shared.value.issuerTimeout = options.issuerTimeout
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
        case .loop(let origin):
            "\(origin) is the proxy itself: name the backend's own address, or another port"
        case .unusable(let type): "the network cannot be used: \(type)"
        }
    }
}
