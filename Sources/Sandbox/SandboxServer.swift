package import Backend
package import Dialects
import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle
package import Timekeeping
package import Tokens

/// A real backend over real sockets that speaks every dialect it is given: each under its name, as
/// in `/bitbasel/auth/refresh`, and at the root where its paths are its own.
package struct SandboxServer: Sendable {
    package let configuration: SandboxConfiguration
    private let core: SandboxCore
    private let group: any EventLoopGroup
    private let logger: Logger

    /// A sandbox that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: Its `primary`, where given, is the name of one of the dialects.
    ///   - dialects: What it speaks.
    ///   - timekeeper: Its wall clock is the server's clock; its monotonic clock drives the feed.
    ///   - seed: Of every token and every draw.
    ///   - fingerprinter: Names tokens in what the sandbox tells about itself.
    ///   - group: Its connections live on these loops.
    ///   - logger: Says what goes wrong with connections; silent unless given.
    package init(
        configuration: SandboxConfiguration,
        dialects: [Dialect],
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
            timekeeper: timekeeper,
            seed: seed,
            fingerprinter: fingerprinter
        )
    }

    /// Listens until the caller is cancelled or shut down gracefully; open feeds are then closed
    /// with 1001.
    ///
    /// - Parameters:
    ///   - onReady: Told the port as soon as connections are accepted; they are served once it has
    ///     returned.
    ///   - onFault: Told what the schedule of faults has set, where there is one.
    /// - Throws: `SandboxFailure` when it cannot listen there.
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

    /// What `GET /__sandbox/state` answers.
    package var state: SandboxState { core.state() }

    /// Every fault, how it is set, and how often it has acted.
    package var faults: [FaultStatus] { core.faults }

    /// Sets faults, as a person asks for it.
    package func set(_ switches: [FaultSetting]) {
        core.set(switches)
    }

    /// Ends a session as an operator would, and its feeds with it.
    ///
    /// - Parameter session: As `SandboxState` names it.
    /// - Returns: False when there is no such session, or it has ended.
    package func revoke(session: String) -> Bool {
        core.revoke(session: session)
    }
}

/// Why a sandbox does not listen.
package enum SandboxFailure: Error, Sendable, Equatable {
    case portInUse(host: String, port: Int)
    /// Ports below 1024 are the system's.
    case portNotPermitted(Int)
    /// It is no name or address of this machine.
    case hostUnusable(String)
    case failed(String)

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
            self = .failed(String(describing: error))
        }
    }
}

extension SandboxFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use: end what listens there, or take another --port"
        case .portNotPermitted(let port):
            "port \(port) is not permitted: take one from 1024 on"
        case .hostUnusable(let host):
            "\(host) is no address of this machine"
        case .failed(let reason):
            "the sandbox cannot listen: \(reason)"
        }
    }
}
