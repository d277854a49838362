import Basics
import Model
import Observer
import Platform
import Profiles
import Proxy
import UI

/// One run of the proxy: beside a screen, lines or a command, until it ends; then the reports.
struct ProxyRun {
    /// An app of our own that uses the proxy, by its addresses.
    typealias Client = @Sendable (ProxyRoutes) async throws -> Void

    let options: ProxyRunOptions
    let origins: [ProxiedOrigin]
    /// The hosts whose connections are opened, or `nil` without a forward proxy.
    let forwarded: ForwardedHosts?
    let profile: ReadingProfile?
    let limit: FindingsReport.Limit
    let plan: [FaultSetting]
    let accepted: AcceptedFindings
    let environment: LiveEnvironment
    let inheritance: ForegroundProgram.Inheritance
    /// Authorities of backends besides those of the command line.
    var trust: TrustRoots?
    var client: Client?

    /// Starts the proxy, and shows what goes through it until the run ends.
    func run() async throws {
        let defaults = try options.display.defaults(in: environment)
        let notifier = try options.display.notifier(in: environment)
        let monitor = try options.monitoring.monitor(of: [], in: environment)
        let log = try options.log.eventLog()
        let recognition = try environment.catalogue.recognition()
        let configuration = ObservationMachine.Configuration(
            profile: profile?.dialect.name ?? "app",
            dialect: profile?.dialect.name,
            baseURL: backends[0],
            recognition: recognition
        )
        try options.tests.reports.check()
        let network = try ProxyNetwork(
            options,
            forwarding: forwarded,
            alsoTrusting: trust,
            in: environment
        )
        let queue = TrafficQueue()
        let injector = ExperimentInjector()
        let server = ProxyServer(
            origins,
            configuration: network.configuration,
            timekeeper: environment.machineTime,
            observer: queue,
            injector: injector
        )
        let bound: [ProxiedOrigin]
        do throws(ProxyError) {
            bound = try await server.start()
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
        let evidence = try evidence(of: configuration)
        let store = ObservationStore(
            reader: TrafficReader(
                fingerprinter: environment.fingerprinter(),
                recognition: recognition,
                dialect: profile?.dialect,
                basePaths: profile?.basePaths ?? [],
                addedPaths: profile?.addedPaths ?? [],
                keepsEveryBody: options.evidence.keepsEveryBody,
                processes: network.configuration.processes
            ),
            machine: ObservationMachine(configuration),
            time: environment.machineTime,
            queue: queue,
            injector: injector,
            // Half of what passes at most until the next frame.
            pause: .milliseconds(8),
            keep: { input, moment, _ in evidence.record(input, at: moment) }
        )
        let app = ProxiedApp(
            routes: network.routes(to: bound, forward: await server.forwardPort),
            server: server,
            queue: queue,
            store: store,
            evidence: evidence,
            plan: plan,
            time: environment.machineTime
        )
        let interface = ControlInterface(store: store, isReadOnly: options.display.isReadOnly)
        let controlServer = ControlServer { await interface.answer($0) }
        let code: Int32
        do {
            let controlURL = try await listen(with: controlServer)
            try network.certificates?.write()
            if let exec = options.exec {
                code = try await run(
                    exec,
                    beside: app,
                    controlURL: controlURL,
                    trusting: network.certificates,
                    notifier: notifier,
                    monitor: monitor
                )
            } else {
                code = try await show(
                    app,
                    defaults: defaults,
                    log: log,
                    notifier: notifier,
                    monitor: monitor
                )
            }
        } catch {
            network.certificates?.remove()
            await controlServer.stop()
            await server.stop()
            throw error
        }
        network.certificates?.remove()
        await app.end()
        await controlServer.stop()
        await server.stop()
        await store.stop()
        var failures = await evidence.finish(store, at: environment.machineTime.moment)
        failures.collect { () throws(CommandFailure) in try log?.finish() }
        try await report(on: store, code: code, beside: failures)
    }

    /// The backends, as they are named to users: at least one.
    var backends: [String] {
        origins.map(\.origin.description) + (forwarded?.names.map { "https://\($0)" } ?? [])
    }

    private func evidence(
        of configuration: ObservationMachine.Configuration
    ) throws -> TrafficEvidence {
        let header = ObservationRecording.Header(
            of: configuration,
            startedAt: environment.machineTime.moment
        )
        return try TrafficEvidence(
            recorder: options.record.recorder(of: header),
            options: options.evidence,
            baseURL: configuration.baseURL
        )
    }

    /// Opens the control port if one is wanted.
    ///
    /// - Returns: Its address.
    private func listen(with server: ControlServer) async throws(CommandFailure) -> String? {
        guard let control = options.tests.control else { return nil }
        do throws(ProxyError) {
            let url = "http://127.0.0.1:\(try await server.start(port: control))"
            if !options.display.wantsScreen {
                StandardError.write("authtop: control port \(url)")
            }
            return url
        } catch {
            throw CommandFailure(.badInput, "--control: \(error)")
        }
    }

    // MARK: - Until the run ends

    private func warn(_ app: ProxiedApp) {
        for warning in app.routes.warnings { StandardError.write("authtop: \(warning)") }
    }

    /// Shows the traffic.
    ///
    /// - Returns: 0, or 128 + n if signal n ended the run.
    private func show(
        _ app: ProxiedApp,
        defaults: ScreenDefaults,
        log: EventLog?,
        notifier: Notifier?,
        monitor: Monitor?
    ) async throws -> Int32 {
        if !options.display.wantsScreen {
            for route in app.routes.routes {
                StandardError.write("authtop: \(route.address) stands in for \(route.backend)")
            }
            if let forward = app.routes.forward {
                let hosts = forward.hosts.joined(separator: ", ")
                StandardError.write(
                    "authtop: \(forward.address) is a proxy to every server, and opens \(hosts)"
                )
                StandardError.write("authtop: apps must trust \(forward.certificates)")
            }
            if let file = app.routes.certificate {
                StandardError.write("authtop: apps must trust \(file) (authtop proxy ca)")
            }
            warn(app)
        }
        let run = SessionRun(
            sessions: WatchedSessions([]),
            events: EventHub(),
            display: options.display,
            defaults: defaults,
            environment: environment,
            log: log,
            notifier: notifier,
            monitor: monitor,
            app: app
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if let client {
                group.addTask { try await client(app.routes) }
            }
            let end = try await run.run()
            group.cancelAll()
            if case .interrupted(let signal)? = end { return 128 + signal }
            return 0
        }
    }

    /// Runs the command of `--exec`, and reads the traffic until it has ended.
    ///
    /// - Returns: Its exit code, or 128 + n if signal n ended it.
    private func run(
        _ exec: String,
        beside app: ProxiedApp,
        controlURL: String?,
        trusting certificates: RunCertificates?,
        notifier: Notifier?,
        monitor: Monitor?
    ) async throws -> Int32 {
        guard
            let program = ForegroundProgram(
                ["sh", "-c", exec],
                variables: environment.variables,
                inheritance: inheritance
            )
        else { throw CommandFailure(.badInput, "--exec: there is no sh in PATH") }
        try await monitor?.start(isTold: true)
        warn(app)
        let address = app.routes.address
        let names = ["AUTHTOP_PROXY_URL"] + options.env
        var variables = Dictionary(names.map { ($0, address) }) { first, _ in first }
        if let forward = app.routes.forward, let certificates {
            let proxy = try BackendOrigin(parsing: forward.address, allowInsecure: true)
            variables.merge(certificates.variables(of: proxy)) { first, _ in first }
        }
        if let controlURL { variables["AUTHTOP_CONTROL_URL"] = controlURL }
        if let file = app.routes.certificate { variables["AUTHTOP_CA_FILE"] = file }
        async let reading: Void = app.run(telling: notifier, counting: monitor)
        let ending: ForegroundProgram.Ending
        do throws(VaultProblem) {
            ending = try await program.run(adding: variables)
        } catch {
            await app.end()
            await reading
            throw CommandFailure(.badInput, "--exec: \(error.message)")
        }
        await app.end()
        await reading
        await monitor?.finish()
        switch ending {
        case .exited(let code): return code
        case .signaled(let signal): return 128 + signal
        }
    }
}
