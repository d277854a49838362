import Backend
import Basics
import Client
import Model
import NIOCore
import NIOPosix
import Observer
import Platform
import Profiles
import Sandbox

/// Runs the sandbox while it is needed.
struct SandboxRun {
    let configuration: SandboxConfiguration
    let environment: LiveEnvironment
    let fingerprinter: Fingerprinter
    let seed: UInt64
    /// The dialects that are served: to read the file of each takes milliseconds.
    let dialects: [Dialect]
    /// Further ones, which are served under their names only.
    var prefixed: [Dialect] = []
    /// Called with each setting that a schedule of faults makes.
    var onFault: @Sendable (FaultSetting) -> Void = { _ in }

    /// Runs `body` with the port that the sandbox listens on, and then ends the sandbox.
    func whileRunning(
        _ body: @escaping @Sendable (Int, SandboxServer) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = configuration
        configuration.limitConnections(toHalfOf: OpenFileLimit.raise())
        let server = SandboxServer(
            configuration: configuration,
            dialects: dialects,
            prefixed: prefixed,
            timekeeper: environment.machineTime,
            seed: seed,
            fingerprinter: fingerprinter,
            group: group
        )
        // It ends with its task: if it ended with the server, that might hide why the server has ended.
        let (ready, readiness) = AsyncStream.makeStream(of: Int.self)
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    do throws(SandboxFailure) {
                        try await server.run(
                            onReady: { readiness.yield($0) },
                            onFault: onFault
                        )
                    } catch {
                        throw CommandFailure(error.exit, error.description)
                    }
                }
                tasks.addTask {
                    for await port in ready { return try await body(port, server) }
                }
                // The first one to end also ends the other.
                try await tasks.next()
                tasks.cancelAll()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        try result.get()
    }
}

extension SandboxFailure {
    fileprivate var exit: CommandFailure.Exit {
        switch self {
        case .portInUse, .portNotPermitted, .hostUnusable: .badInput
        case .failed: .unreachable
        }
    }
}

/// Adds the sandbox's feed, which the sandbox offers to every dialect; other backends do not.
struct SandboxFeed {
    let network: NetworkContext
    let origin: BackendOrigin

    /// Returns the dialect with the sandbox's feed, if it has none of its own and the backend is
    /// the sandbox.
    ///
    /// Only this machine is asked, once, without credentials.
    func added(to dialect: Dialect, time: any Timekeeper) async throws -> Dialect {
        guard !dialect.hasFeed, origin.isLoopback, !origin.isSecure else { return dialect }
        let root = try BackendOrigin(parsing: "http://\(origin.authority)")
        let answer = await network.tokenTransport(to: root).send(
            WireRequest(method: "HEAD", target: "/__sandbox/state"),
            connection: .own,
            deadline: time.now + .seconds(2)
        )
        guard case .answered(let response) = answer.outcome, response.status == 200,
            response.claimsSandbox
        else { return dialect }
        return dialect.withSandboxFeed(under: origin.pathPrefix.isEmpty ? "/\(dialect.name)" : "")
    }
}
