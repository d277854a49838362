import Backend
package import Basics
import HummingbirdCore
package import Logging
package import Model
package import NIOCore
package import Profiles
import ServiceLifecycle

/// A backend over real sockets that serves several dialects: each under its name, as in
/// `/bitbasel/auth/refresh`, and at the root where its paths are unambiguous.
package struct SandboxServer: Sendable {
    let configuration: SandboxConfiguration
    private let core: SandboxCore
    private let group: any EventLoopGroup
    private let logger: Logger

    /// Creates a sandbox that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: The configuration; its `primary`, if set, is the name of one of the
    ///     dialects.
    ///   - dialects: The dialects to serve.
    ///   - prefixed: Further ones, which are served under their names only.
    ///   - timekeeper: The clocks: the wall clock is the server's, the monotonic clock drives the
    ///     feed.
    ///   - seed: The seed of all tokens and random draws.
    ///   - fingerprinter: Computes the fingerprints in the sandbox's state.
    ///   - group: The event loops of its connections.
    ///   - logger: Logs errors of connections; `nil` logs nothing.
    package init(
        configuration: SandboxConfiguration,
        dialects: [Dialect],
        prefixed: [Dialect] = [],
        timekeeper: any Timekeeper,
        seed: UInt64,
        fingerprinter: Fingerprinter,
        group: any EventLoopGroup,
        logger: Logger = Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.configuration = configuration
        self.group = group
        self.logger = logger
        core = SandboxCore(
            configuration: configuration,
            dialects: dialects,
            prefixed: prefixed,
            timekeeper: timekeeper,
            seed: seed,
            fingerprinter: fingerprinter
        )
    }

    /// Listens until the caller is cancelled or shut down gracefully; then closes open feeds with
    /// 1001.
    ///
    /// - Parameters:
    ///   - onReady: Called with the port as soon as connections are accepted; they are served after
    ///     it returns.
    ///   - onFault: Called with each setting of a fault that begins while it runs.
    /// - Throws: `SandboxFailure` if it cannot listen.
    package func run(
        onReady: @escaping @Sendable (Int) async -> Void = { _ in },
        onFault: @escaping @Sendable (FaultSetting) -> Void = { _ in }
    ) async throws(SandboxFailure) {
        let limits = configuration.limits
        let builder = HTTPServerBuilder { [core] responder in
            SandboxChannel(responder: responder, core: core, limits: limits)
        }
        do {
            let responder = SandboxResponder(core: core)
            let server = try builder.buildServer(
                configuration: ServerConfiguration(
                    address: .hostname(configuration.host, port: configuration.port),
                    availableConnectionsDelegate: .maximum(limits.connections, logger: logger)
                ),
                eventLoopGroup: group,
                logger: logger,
                responder: { request, writer, channel in
                    try await responder.respond(to: request, with: writer, on: channel)
                },
                onServerRunning: { await onReady($0.localAddress?.port ?? 0) }
            )
            let housekeeping = group.next().scheduleRepeatedTask(
                initialDelay: .seconds(60),
                delay: .seconds(60)
            ) { [core] _ in core.forgetOver() }
            defer { housekeeping.cancel() }
            try await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup { tasks in
                    for setting in configuration.faults where setting.delay > 0 {
                        tasks.addTask { try await core.wait(for: setting, onStep: onFault) }
                    }
                    if let seed = configuration.faultSchedule {
                        tasks.addTask {
                            try await core.follow(FaultSchedule(seed: seed), onStep: onFault)
                        }
                    }
                    defer { tasks.cancelAll() }
                    try await server.run()
                }
            }
        } catch {
            throw SandboxFailure(error, listeningOn: configuration)
        }
    }

    /// The response of `GET /__sandbox/state`.
    var state: SandboxState { core.state() }

    /// Every fault, its setting, and the number of times it has fired.
    var faults: [FaultStatus] { core.faults }

    /// The settings of the faults that are on, as the user writes them.
    package var activeFaults: [String] {
        core.faults.filter { $0.state != FaultState.off.description }.map(\.setting)
    }

    /// Applies settings of faults.
    func set(_ switches: [FaultSetting]) {
        core.set(switches)
    }

    /// Ends a session and its feeds, as the operator of a backend would.
    ///
    /// - Parameter session: The session's name in `SandboxState`.
    /// - Returns: Whether there is such a session and it was still alive.
    func revoke(session: String) -> Bool {
        core.revoke(session: session)
    }
}

/// The reason why a sandbox cannot listen.
package enum SandboxFailure: Error, Sendable, Equatable {
    case portInUse(host: String, port: Int)
    /// Ports below 1024 require privileges.
    case portNotPermitted(Int)
    /// The host is not a name or address of this machine.
    case hostUnusable(String)
    /// Another error number of the system, or `nil` if there is none.
    case failed(code: CInt?)

    init(_ error: any Error, listeningOn configuration: SandboxConfiguration) {
        switch error {
        case let error as SandboxFailure:
            self = error
        case let error as IOError where error.errnoCode == 98:
            self = .portInUse(host: configuration.host, port: configuration.port)
        case let error as IOError where error.errnoCode == 13:
            self = .portNotPermitted(configuration.port)
        case let error as IOError where error.errnoCode == 99:
            self = .hostUnusable(configuration.host)
        case is SocketAddressError.UnknownHost, SocketAddressError.unknown:
            self = .hostUnusable(configuration.host)
        default:
            self = .failed(code: (error as? IOError)?.errnoCode)
        }
    }
}

extension SandboxFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use: stop the program that listens there, or choose another --port"
        case .portNotPermitted(let port):
            "port \(port) is not permitted: choose one from 1024 on"
        case .hostUnusable(let host):
            "\(host) is not an address of this machine"
        case .failed(let code?):
            "the sandbox cannot listen: error \(code) of the system"
        case .failed(nil):
            "the sandbox cannot listen"
        }
    }
}
