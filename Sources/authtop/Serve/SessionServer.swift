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
    private let origin: BackendOrigin
    private let server: ProxyServer
    /// The path of the Unix socket that it listens at, or `nil` for a port.
    private let socketPath: String?
    private let opening = SessionOpening()
    private let notices = ServeNotices()
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
        self.origin = origin
        self.socketPath = socketPath
        time = run.environment.time
        display = run.printsEvents ? nil : ServeDisplay(clock: run.clock)
        var configuration = ProxyConfiguration(trust: run.chosen.network.trust)
        configuration.security = run.chosen.origins.security
        configuration.allowedHosts = allowedHosts
        configuration.socketPath = socketPath
        if !pages.isEmpty {
            configuration.crossOriginAccess = CrossOriginAccess(alsoFor: Set(pages))
        }
        configuration.serving = Serving(
            ServedSession(
                opening,
                profile: run.chosen.name,
                dialect: run.chosen.dialect,
                origin: origin == run.chosen.origin ? nil : origin.description,
                time: run.environment.time,
                notices: notices
            ),
            rules: ServingRules(
                user: getuid(),
                origins: pages.map(\.description),
                allowsOtherUsers: allowsOtherUsers
            )
        )
        server = ProxyServer(
            [ProxiedOrigin(origin, port: port)],
            configuration: configuration,
            timekeeper: run.environment.time,
            observer: UnobservedTraffic()
        )
    }

    /// Begins to listen; requests wait until the session is open.
    ///
    /// - Throws: `CommandFailure` if it cannot listen.
    func listen() async throws(CommandFailure) {
        let address: String
        do throws(ProxyError) {
            let bound = try await server.start()
            address = socketPath ?? "http://127.0.0.1:\(bound[0].port)"
        } catch {
            throw CommandFailure(.badInput, "serve: \(error)")
        }
        StandardError.write("authtop: \(address) sends requests to \(origin) as \(profile)")
    }

    /// Serves a session that is open until it ends, or the task is cancelled.
    ///
    /// - Throws: `CommandFailure` if the session has ended.
    func run(_ store: SessionStore) async throws(CommandFailure) {
        let ends = store.events.events { $0.kind is SignedOut }
        if case .signedOut(let reason) = await store.state {
            throw .signedOut(await store.reason(reason), profile)
        }
        let shown = display.map { [events = store.events.events()] display in
            Task { for await event in events { display.show(event) } }
        }
        opening.open(store)
        var reason: SignedOutReason?
        for await event in ends {
            reason = (event.kind as? SignedOut)?.reason
            break
        }
        if reason != nil { try? await time.sleep(until: time.now + Self.farewell) }
        await stop()
        shown?.cancel()
        if display != nil { StandardError.write("authtop: \(notices.summary)") }
        guard let reason else { return }
        try RunEnd.sessionEnded(reason).settle(profile: profile, state: await store.state)
    }

    /// Closes all connections; may be called more than once.
    func stop() async { await server.stop() }
}

extension OperationRun {
    /// Serves the session until it ends, or a signal ends the program.
    ///
    /// It listens before anything is sent, so that an address in use is told first.
    func serve(_ server: SessionServer) async throws {
        let source = source(of: .access)
        let notifier = try Notifier(
            environment.userConfiguration().notifications,
            hasScreen: false,
            in: environment
        )
        try await server.listen()
        do {
            _ = try await follow(within: nil) { store throws(CommandFailure) in
                let source = source(store)
                guard let notifier else { return try await server.serve(source).get() }
                return try await notifier.tell(of: store.events) { await server.serve(source) }
                    .get()
            }
        } catch {
            await server.stop()
            throw error
        }
    }
}

extension SessionServer {
    /// Opens a session, and serves it; programs wait for nothing while the run ends.
    fileprivate func serve(_ source: TokenSource) async -> Result<Void, CommandFailure> {
        do throws(CommandFailure) {
            try await source.begin()
            try await run(source.store)
            return .success(())
        } catch {
            await stop()
            return .failure(error)
        }
    }
}

/// Nothing of what passes is read.
private struct UnobservedTraffic: TrafficObserver {
    func observe(_ input: TrafficInput, at moment: Moment) {}
}
