import Backend
import Dialects
import NIOCore
import NIOPosix
import Sandbox
import Timekeeping
import Tokens

/// The sandbox, as long as something needs it.
struct SandboxRun {
    let configuration: SandboxConfiguration
    let environment: LiveEnvironment
    let fingerprinter: Fingerprinter
    let seed: UInt64
    /// Told what a schedule of faults has set.
    var onFault: @Sendable (FaultSetting) -> Void = { _ in }

    /// Runs `body` with the port that the sandbox listens on, and ends the sandbox with it.
    func whileRunning(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = SandboxServer(
            configuration: configuration,
            dialects: Dialect.builtIn(),
            timekeeper: environment.time,
            seed: seed,
            fingerprinter: fingerprinter,
            group: group
        )
        let (ready, readiness) = AsyncStream.makeStream(of: Int.self)
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { readiness.finish() }
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
                    for await port in ready { return try await body(port) }
                }
                // Whichever ends first ends the other.
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
