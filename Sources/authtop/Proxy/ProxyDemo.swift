import Backend
import Basics
import Platform
import Profiles
import Sandbox

/// A sandbox with a clumsy app, to try the proxy on.
struct ProxyDemo {
    let environment: LiveEnvironment

    /// Runs `body` with the origin of the sandbox, its dialect, and what runs the app through a proxy
    /// at an address.
    func whileRunning(
        _ body:
            @escaping @Sendable (
                BackendOrigin, Dialect, @escaping @Sendable (BackendOrigin) async -> Void
            ) async throws -> Void
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
        let configuration = try environment.networkConfiguration(caFile: nil)
        let time = environment.time
        try await sandbox.whileRunning { port, _ in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(port)")
            try await withNetwork(configuration) { network in
                try await body(origin, dialect) { proxy in
                    let client = FaultyDemoClient(
                        dialect: dialect,
                        transport: network.tokenTransport(to: proxy),
                        time: time
                    )
                    await client.run()
                }
            }
        }
    }
}
