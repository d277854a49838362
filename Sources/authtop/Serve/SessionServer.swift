import Basics
import Client
import Glibc
import Model
import Observer
import Platform
import Profiles
import Proxy
import UI

/// The local server that sends requests with a session's token.
struct SessionServer: Sendable {
    /// The time in which requests that were waiting get their answers after the session has ended.
    private static let farewell = Duration.milliseconds(500)

    private let profile: String
    private let dialect: Dialect
    private let base: BackendOrigin
    private let origin: BackendOrigin
    private let port: Int
    private let configuration: ProxyConfiguration
    private let rules: ServingRules
    private let time: any Timekeeper
    /// Writes lines for a user at a terminal, or `nil` if events are printed.
    private let display: ServeDisplay?

    /// - Parameters:
    ///   - run: The session's run.
    ///   - origin: Where requests are sent.
    ///   - port: To listen on; 0 chooses a free one.
    ///   - socketPath: Of the Unix socket to listen at in place of a port.
    ///   - pages: The origins whose pages may use the session.
    ///   - allowedHosts: Names in `Host` besides those of this machine.
    ///   - allowsOtherUsers: Whether programs of other users may use the session.
    init(
        _ run: OperationRun,
        origin: BackendOrigin,
        port: Int,
        socketPath: String?,
        pages: [BackendOrigin],
        allowedHosts: [String],
        allowsOtherUsers: Bool
    ) {
        profile = run.chosen.name
        dialect = run.chosen.dialect
        base = run.chosen.origin
        self.origin = origin
        self.port = port
        time = run.environment.time
        display = run.printsEvents ? nil : ServeDisplay(clock: run.clock)
        var configuration = ProxyConfiguration(trust: run.chosen.network.trust)
        configuration.security = run.chosen.origins.security
        configuration.keepsEncoding = true
        configuration.allowedHosts = allowedHosts
        configuration.socketPath = socketPath
        if !pages.isEmpty {
            configuration.crossOriginAccess = CrossOriginAccess(alsoFor: Set(pages))
        }
        self.configuration = configuration
        rules = ServingRules(
            user: getuid(),
            origins: pages.map(\.description),
            allowsOtherUsers: allowsOtherUsers
        )
    }

    /// Serves until the session ends, or the task is cancelled.
    ///
    /// - Throws: `CommandFailure` if it cannot listen, or the session has ended.
    func run(_ store: SessionStore) async throws(CommandFailure) {
        let ends = store.events.events { $0.kind is SignedOut }
        if case .signedOut(let reason) = await store.state {
            throw .signedOut(await store.reason(reason), profile)
        }
        let notices = ServeNotices()
        var configuration = configuration
        configuration.serving = Serving(
            ServedSession(
                store,
                profile: profile,
                dialect: dialect,
                origin: origin == base ? nil : origin.description,
                time: time,
                notices: notices
            ),
            rules: rules
        )
        let server = ProxyServer(
            [ProxiedOrigin(origin, port: port)],
            configuration: configuration,
            timekeeper: time,
            observer: UnobservedTraffic()
        )
        let address: String
        do throws(ProxyError) {
            let bound = try await server.start()
            address = configuration.socketPath ?? "http://127.0.0.1:\(bound[0].port)"
        } catch {
            throw CommandFailure(.badInput, "serve: \(error)")
        }
        StandardError.write("authtop: \(address) sends requests to \(origin) as \(profile)")
        let shown = display.map { [events = store.events.events()] display in
            Task { for await event in events { display.show(event) } }
        }
        var reason: SignedOutReason?
        for await event in ends {
            reason = (event.kind as? SignedOut)?.reason
            break
        }
        if reason != nil { try? await time.sleep(until: time.now + Self.farewell) }
        await server.stop()
        shown?.cancel()
        if display != nil { StandardError.write("authtop: \(notices.summary)") }
        guard let reason else { return }
        try RunEnd.sessionEnded(reason).settle(profile: profile, state: await store.state)
    }
}

extension OperationRun {
    /// Serves the session until it ends, or a signal ends the program.
    func serve(_ server: SessionServer) async throws {
        let source = source(of: .access)
        _ = try await follow(within: nil) { store throws(CommandFailure) in
            try await source(store).begin()
            try await server.run(store)
        }
    }
}

/// Nothing of what passes is read.
private struct UnobservedTraffic: TrafficObserver {
    func observe(_ input: TrafficInput, at moment: Moment) {}
}
