import Backend
import Basics
import Observer
import Platform
import Profiles
import Proxy
import Sandbox
import UI

/// A sandbox with a clumsy app, to try the proxy on.
struct ProxyDemo {
    /// The host of the sandbox for an app that keeps the address of its backend.
    static let host = "localhost"

    /// The backend of the app, and what a proxy needs to pass on what the app sends.
    struct Stage {
        let dialect: Dialect
        /// The backend that the proxy stands in for, or `nil` if the app keeps its address.
        var origin: BackendOrigin?
        /// Those that the proxy trusts in addition to those of the command line.
        var trust: TrustRoots?
        let client: ProxyRun.Client
    }

    let environment: LiveEnvironment
    /// Whether the app keeps the address of its backend, which speaks TLS then.
    let isForwarded: Bool

    /// Runs `body` beside the sandbox.
    func whileRunning(
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let dialect = try DialectCatalogue.builtIn(named: "voltyks")
        let sandbox = SandboxRun(
            configuration: SandboxConfiguration(
                port: 0,
                primary: dialect.name,
                accessLifetime: 60,
                refreshLifetime: 600,
                reuse: .strictRevokeFamily
            ),
            environment: environment,
            fingerprinter: Fingerprinter(salt: environment.randomBytes(32)),
            seed: environment.randomSeed(),
            dialects: [dialect]
        )
        try await sandbox.whileRunning { port, _ in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(port)")
            if isForwarded { return try await forward(origin, of: dialect, body) }
            let configuration = try environment.networkConfiguration(caFile: nil)
            try await body(
                Stage(dialect: dialect, origin: origin) { routes in
                    let proxy = try BackendOrigin(parsing: routes.address)
                    await run(dialect, at: proxy, by: configuration)
                }
            )
        }
    }

    /// Runs `body` with TLS before the sandbox.
    private func forward(
        _ origin: BackendOrigin,
        of dialect: Dialect,
        _ body: @Sendable (Stage) async throws -> Void
    ) async throws {
        let authority = try LocalAuthority.fresh(at: environment.machineTime.moment.wall)
        var proxyConfiguration = ProxyConfiguration()
        proxyConfiguration.authority = authority
        let unread = TrafficQueue()
        unread.finish()
        let server = ProxyServer(
            [ProxiedOrigin(origin, port: 0)],
            configuration: proxyConfiguration,
            timekeeper: environment.machineTime,
            observer: unread
        )
        let port = try await server.start()[0].port
        let backend = try BackendOrigin(parsing: "https://\(Self.host):\(port)")
        let result: Result<Void, any Error>
        do {
            try await body(
                Stage(dialect: dialect, trust: try TrustRoots(pem: authority.certificatePEM)) {
                    let configuration = try environment.networkConfiguration(
                        caFile: $0.forward?.certificates,
                        proxy: $0.forward?.address
                    )
                    await run(dialect, at: backend, by: configuration)
                }
            )
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await server.stop()
        try result.get()
    }

    private func run(
        _ dialect: Dialect,
        at address: BackendOrigin,
        by configuration: NetworkConfiguration
    ) async {
        await withNetwork(configuration) { network in
            let client = FaultyDemoClient(
                dialect: dialect,
                transport: network.tokenTransport(to: address),
                time: environment.time
            )
            await client.run()
        }
    }
}
