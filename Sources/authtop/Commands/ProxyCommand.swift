import ArgumentParser
import Dashboard
import Dialects
import Lifecycle
import Networking
import Observation
import Proxy
import Recordings
import Sessions
import Timekeeping
import Tokens
import Vaults

/// `authtop proxy --to …` is `authtop proxy run --to …`.
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Watch the sessions of your own app: a local proxy between it and its backend.",
        subcommands: [ProxyRunCommand.self, ProxyExplainCommand.self],
        defaultSubcommand: ProxyRunCommand.self
    )
}

struct ProxyRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Pass on what an app sends, and show its sessions; the default.",
        discussion: """
            The app uses the proxy's address in place of its backend's. Each session that goes \
            through is shown with its tokens, requests and sockets, and what goes wrong is named \
            with the exchanges that prove it. Nothing is sent that the app did not send, and \
            nothing twice.

            With a profile, its dialect says how requests and answers are read; without one, \
            common names and what the tokens do.

            authtop proxy --to https://api.example.com

            In a pipeline, --exec runs the tests and ends with them: \
            authtop proxy --to https://staging.example.com --env API_URL --exec "npm test"

            Exit codes: that of the program of --exec if it is not 0; else 0 nothing was found that \
            makes it fail, 1 something was, 2 bad input.
            """
    )

    /// The first port, unless another one is named.
    private static let usualPort = 9000

    @Argument(
        help: ArgumentHelp("The profile of the backend.", valueName: "profile"),
        completion: .profiles
    )
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "A backend, and optionally the port that stands in for it; may be repeated.",
            valueName: "url[=port]"
        )
    )
    var to: [String] = []

    @Option(help: "The port of the first backend without one; 0 chooses free ones.")
    var port: Int?

    @Flag(help: "Watch a clumsy app on the built-in backend: nothing else is needed.")
    var demo = false

    @Option(
        name: .customLong("ca-file"),
        help: "Certificates (PEM) to trust in addition to the system's.",
        completion: .certificates
    )
    var caFile: String?

    @Flag(
        name: .customLong("allow-insecure"),
        help: "Allow a backend on another machine without TLS."
    )
    var allowsInsecure = false

    @Flag(name: .customLong("keep-host"), help: "Leave the Host field of requests as it is.")
    var keepsHost = false

    @Option(
        help: ArgumentHelp(
            "Run this command with sh, and end with it; AUTHTOP_PROXY_URL has the address.",
            valueName: "command"
        )
    )
    var exec: String?

    @Option(
        help: ArgumentHelp(
            "Another variable with the address, for the command of --exec; may be repeated.",
            valueName: "name"
        )
    )
    var env: [String] = []

    @Option(
        name: .customLong("fail-on"),
        help: ArgumentHelp(
            """
            What makes the run fail: bugs (those that are certain), none, or names of rules, \
            comma-separated; by default bugs with --exec, and otherwise none.
            """,
            valueName: "rules"
        )
    )
    var failOn: String?

    @Option(
        help: ArgumentHelp("Write the findings as JUnit's XML at the end.", valueName: "file"),
        completion: .file()
    )
    var junit: String?

    @Option(
        help: ArgumentHelp(
            """
            Begin an experiment with the app, at once or after a time; may be repeated: \
            short-life:20, expire, lose-answer@30s … (authtop proxy explain experiments).
            """,
            valueName: "name[@after]"
        )
    )
    var fault: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Answer a test suite's requests on this port of 127.0.0.1, 0 being any that is free: \
            GET /state, /findings, /sessions; POST /faults, /mark, /reset. AUTHTOP_CONTROL_URL has \
            the address for --exec.
            """,
            valueName: "port"
        )
    )
    var control: Int?

    @Option(
        help: ArgumentHelp(
            "Known findings, which do not make the run fail: a rule and a path a line.",
            valueName: "file"
        ),
        completion: .file()
    )
    var accept: String?

    @OptionGroup(title: "Display") var display: DisplayOptions

    @OptionGroup(title: "Log") var log: LogOptions

    @OptionGroup(title: "Recording") var record: RecordOptions

    @OptionGroup(title: "Evidence") var evidence: EvidenceOptions

    func validate() throws {
        guard demo || !to.isEmpty else {
            throw ValidationError("Missing expected option '--to <url>' (or --demo, to try it)")
        }
        guard !demo || to.isEmpty && profile == nil else {
            throw ValidationError("--demo brings its own backend: leave out --to and the profile")
        }
        guard fault.isEmpty || !display.isReadOnly else {
            throw ValidationError("--readonly forbids experiments: leave out --fault")
        }
        guard control.map((0...65_535).contains) ?? true else {
            throw ValidationError("--control: expected a port, 0 to 65535")
        }
        for name in env where name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) == nil {
            throw ValidationError(
                "--env: expected letters, digits and underscores, not beginning with a digit"
            )
        }
    }

    func run() async throws {
        let inheritance = ForegroundProgram.Inheritance(fileMode: ProcessGuard.inheritedFileMode)
        let environment = LiveEnvironment()
        let limit = try FindingsReport.Limit(parsing: failOn ?? (exec == nil ? "none" : "bugs"))
        _ = try plan()
        _ = try accept.map(AcceptedFindings.init(readingFile:))
        if demo {
            let sandbox = ProxyDemo(environment: environment)
            return try await sandbox.whileRunning { origin, dialect, addClient in
                try await watch(
                    [ProxiedOrigin(origin, port: port ?? 0)],
                    dialect: dialect,
                    limit: limit,
                    in: environment,
                    inheritance,
                    client: addClient
                )
            }
        }
        var dialect: Dialect?
        if let profile {
            dialect = try await environment.profile(named: profile, caFile: caFile).dialect
        }
        try await watch(
            try origins(),
            dialect: dialect,
            limit: limit,
            in: environment,
            inheritance
        )
    }

    private func plan() throws(CommandFailure) -> [PlannedExperiment] {
        var plan: [PlannedExperiment] = []
        for text in fault { plan.append(try PlannedExperiment(parsing: text)) }
        return plan
    }

    /// Starts the proxy, and shows what goes through it until the run ends.
    private func watch(
        _ origins: [ProxiedOrigin],
        dialect: Dialect?,
        limit: FindingsReport.Limit,
        in environment: LiveEnvironment,
        _ inheritance: ForegroundProgram.Inheritance,
        client: (@Sendable (BackendOrigin) async -> Void)? = nil
    ) async throws {
        let defaults = try display.defaults(in: environment)
        let eventLog = try log.eventLog()
        let configuration = ObservationMachine.Configuration(
            profile: dialect?.name ?? "app",
            dialect: dialect?.name,
            baseURL: origins[0].origin.description
        )
        let kept = try TrafficEvidence(
            recorder: record.recorder(
                of: ObservationRecording.Header(
                    of: configuration,
                    startedAt: environment.machineTime.moment
                )
            ),
            options: evidence,
            baseURL: configuration.baseURL
        )
        var options = ProxyOptions(
            trust: try environment.networkConfiguration(caFile: caFile).trust
        )
        options.keepsHost = keepsHost
        let queue = TrafficQueue()
        let gate = ExperimentGate()
        let server = ProxyServer(
            origins,
            options: options,
            timekeeper: environment.machineTime,
            observer: queue,
            gate: gate
        )
        let bound: [ProxiedOrigin]
        do throws(ProxyError) {
            bound = try await server.start()
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
        let store = ObservationStore(
            reader: TrafficReader(
                fingerprinter: environment.fingerprinter(),
                dialect: dialect
            ),
            machine: ObservationMachine(configuration),
            time: environment.machineTime,
            queue: queue,
            gate: gate,
            keep: { input, moment, _ in kept.note(input, at: moment) }
        )
        let app = ProxiedApp(
            routes: ProxyRoutes(
                bound.map {
                    ProxyRoutes.Route(
                        address: "http://127.0.0.1:\($0.port)",
                        port: $0.port,
                        backend: $0.origin.description
                    )
                }
            ),
            queue: queue,
            store: store,
            evidence: kept,
            plan: try plan(),
            time: environment.machineTime
        )
        var childEnd: Int32 = 0
        let interface = ControlInterface(store: store, isReadOnly: display.isReadOnly)
        let controlServer = ControlServer { await interface.answer($0) }
        do {
            let controlURL = try await listen(with: controlServer)
            if let exec {
                childEnd = try await run(
                    exec,
                    beside: app,
                    controlURL: controlURL,
                    in: environment,
                    inheritance
                )
            } else {
                try await show(
                    app,
                    at: bound[0],
                    defaults: defaults,
                    log: eventLog,
                    in: environment,
                    client: client
                )
            }
        } catch {
            await controlServer.stop()
            await server.stop()
            throw error
        }
        await controlServer.stop()
        await server.stop()
        await store.stop()
        try await kept.finish(store, at: environment.machineTime.moment)
        let report = FindingsReport(
            findings: await store.findings,
            scorecards: await store.scorecards,
            accepted: try accept.map(AcceptedFindings.init(readingFile:)) ?? .none
        )
        if exec != nil { for line in report.lines { StandardError.write(line) } }
        let failing = report.failing(limit)
        if let junit {
            let numbers = Set(failing.map(\.number))
            let report = JUnitReport(
                findings: report.findings,
                scorecards: report.scorecards,
                marks: await store.marks
            ) { numbers.contains($0.number) }
            try report.write(to: junit)
        }
        if let summary = environment.variables["GITHUB_STEP_SUMMARY"], !summary.isEmpty {
            try StepSummary(report: report).append(to: summary)
        }
        if childEnd != 0 { ProgramExit.leave(childEnd) }
        let failed = Set(report.failingScorecards(limit).map(\.experiment.description)).sorted()
        guard failing.isEmpty, failed.isEmpty else {
            let names = Set(failing.map(\.rule)).sorted() + failed.map { "experiment \($0)" }
            throw CommandFailure(
                .notSo,
                "found what --fail-on names: \(names.joined(separator: ", "))"
            )
        }
    }

    /// Opens the control port if one is wanted.
    ///
    /// - Returns: Its address.
    private func listen(with server: ControlServer) async throws(CommandFailure) -> String? {
        guard let control else { return nil }
        do throws(ProxyError) {
            let url = "http://127.0.0.1:\(try await server.start(port: control))"
            if !display.wantsScreen { StandardError.write("authtop: control port \(url)") }
            return url
        } catch {
            throw CommandFailure(.badInput, "--control: \(error)")
        }
    }

    private func show(
        _ app: ProxiedApp,
        at proxied: ProxiedOrigin,
        defaults: ScreenDefaults,
        log: EventLog?,
        in environment: LiveEnvironment,
        client: (@Sendable (BackendOrigin) async -> Void)?
    ) async throws {
        if !display.wantsScreen {
            for route in app.routes.routes {
                StandardError.write("authtop: \(route.address) stands in for \(route.backend)")
            }
        }
        let run = SessionRun(
            sessions: [],
            display: display,
            defaults: defaults,
            environment: environment,
            log: log,
            app: app
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let client {
                let address = try BackendOrigin(parsing: app.routes.routes[0].address)
                group.addTask { await client(address) }
            }
            try await run.run()
            group.cancelAll()
        }
    }

    /// Runs the command of `--exec`, and reads the traffic until it has ended.
    ///
    /// - Returns: Its exit code, or 128 + n if signal n ended it.
    private func run(
        _ command: String,
        beside app: ProxiedApp,
        controlURL: String?,
        in environment: LiveEnvironment,
        _ inheritance: ForegroundProgram.Inheritance
    ) async throws -> Int32 {
        guard
            let program = ForegroundProgram(
                ["sh", "-c", command],
                variables: environment.variables,
                inheritance: inheritance
            )
        else { throw CommandFailure(.badInput, "--exec: there is no sh in PATH") }
        let address = app.routes.routes[0].address
        let names = ["AUTHTOP_PROXY_URL"] + env
        var variables = Dictionary(names.map { ($0, address) }) { first, _ in first }
        if let controlURL { variables["AUTHTOP_CONTROL_URL"] = controlURL }
        async let reading: Void = app.run()
        let ending: ForegroundProgram.Ending
        do throws(VaultProblem) {
            ending = try await program.run(adding: variables)
        } catch {
            app.queue.finish()
            await reading
            throw CommandFailure(.badInput, "--exec: \(error.message)")
        }
        app.queue.finish()
        await reading
        switch ending {
        case .exited(let code): return code
        case .signaled(let signal): return 128 + signal
        }
    }

    /// - Throws: `CommandFailure` for what is no address of a backend.
    private func origins() throws -> [ProxiedOrigin] {
        var next = port ?? Self.usualPort
        return try to.map { text in
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            let hasPort = parts.count > 1 && Int(parts[parts.count - 1]) != nil
            let url = hasPort ? parts.dropLast().joined(separator: "=") : text
            var port = next
            if hasPort {
                port = Int(parts[parts.count - 1]) ?? 0
            } else if next != 0 {
                next += 1
            }
            guard (0...65_535).contains(port) else {
                throw CommandFailure(
                    .badInput,
                    "--to \(url): \(port) is no port: expected 0 to 65535"
                )
            }
            do throws(BackendOriginError) {
                let origin = try BackendOrigin(parsing: url, allowInsecure: allowsInsecure)
                return ProxiedOrigin(origin, port: port)
            } catch {
                throw CommandFailure(.badInput, "--to: \(error.description)")
            }
        }
    }
}
