import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import Proxy
import UI

/// One run of the proxy: beside a screen, lines or a command, until it ends; then the reports.
struct ProxyRun {
    /// An app of our own that uses the proxy, by its address.
    typealias Client = @Sendable (BackendOrigin) async -> Void

    /// The profile by which the traffic is read.
    struct ReadingProfile {
        let dialect: Dialect
        /// The possible prefixes of its backend's paths at the proxy, the likeliest first.
        var basePaths = [""]
        /// The prefixes that the addresses of `--to` put before the paths of requests.
        var addedPaths: [String] = []
    }

    let command: ProxyRunCommand
    let origins: [ProxiedOrigin]
    /// The hosts whose connections are opened, or `nil` without a forward proxy.
    let forwarded: ForwardedHosts?
    let profile: ReadingProfile?
    let limit: FindingsReport.Limit
    let plan: [FaultSetting]
    let accepted: AcceptedFindings
    let environment: LiveEnvironment
    let inheritance: ForegroundProgram.Inheritance
    var client: Client?

    /// Starts the proxy, and shows what goes through it until the run ends.
    func run() async throws {
        let defaults = try command.display.defaults(in: environment)
        let log = try command.log.eventLog()
        let recognition = try environment.catalogue.recognition()
        let configuration = ObservationMachine.Configuration(
            profile: profile?.dialect.name ?? "app",
            dialect: profile?.dialect.name,
            baseURL: backends[0],
            recognition: recognition
        )
        let evidence = try evidence(of: configuration)
        var options = ProxyOptions(
            trust: try environment.networkConfiguration(caFile: command.caFile).trust
        )
        options.host = command.host
        options.keepsHost = command.keepsHost
        options.keepsEncoding = command.keepsEncoding
        options.addsForwarded = command.addsForwarded
        options.crossOriginAccess = try command.crossOriginAccess()
        options.addresses = NetworkAddress(command.host)?.reachable ?? []
        options.allowedHosts = command.allowedHosts
        let stored =
            command.usesTLS ? try StoredAuthority(in: environment, for: options.addresses) : nil
        options.authority = stored?.authority
        let certificates = try forwarded.map { try forward($0, by: &options) }
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
                recognition: recognition,
                dialect: profile?.dialect,
                basePaths: profile?.basePaths ?? [],
                addedPaths: profile?.addedPaths ?? [],
                keepsEveryBody: command.evidence.keepsEveryBody
            ),
            machine: ObservationMachine(configuration),
            time: environment.machineTime,
            queue: queue,
            gate: gate,
            // Half of what passes at most until the next frame.
            pause: .milliseconds(8),
            keep: { input, moment, _ in evidence.record(input, at: moment) }
        )
        let app = ProxiedApp(
            routes: routes(
                to: bound,
                at: options.addresses,
                certificate: stored?.certificatePath,
                forward: await server.forwardPort,
                trusting: certificates
            ),
            server: server,
            queue: queue,
            store: store,
            evidence: evidence,
            plan: plan,
            time: environment.machineTime
        )
        let interface = ControlInterface(store: store, isReadOnly: command.display.isReadOnly)
        let controlServer = ControlServer { await interface.answer($0) }
        let code: Int32
        do {
            let controlURL = try await listen(with: controlServer)
            try certificates?.write()
            if let exec = command.exec {
                code = try await run(
                    exec,
                    beside: app,
                    controlURL: controlURL,
                    trusting: certificates
                )
            } else {
                code = try await show(app, defaults: defaults, log: log)
            }
        } catch {
            certificates?.remove()
            await controlServer.stop()
            await server.stop()
            throw error
        }
        certificates?.remove()
        await app.end()
        await controlServer.stop()
        await server.stop()
        await store.stop()
        var failures = await evidence.finish(store, at: environment.machineTime.moment)
        failures.collect { () throws(CommandFailure) in try log?.finish() }
        try await report(on: store, code: code, beside: failures)
    }

    /// The backends, as they are named to users: at least one.
    private var backends: [String] {
        origins.map(\.origin.description) + (forwarded?.names.map { "https://\($0)" } ?? [])
    }

    /// Makes the authority of the run.
    ///
    /// - Returns: What programs are to trust.
    private func forward(
        _ hosts: ForwardedHosts,
        by options: inout ProxyOptions
    ) throws(CommandFailure) -> RunCertificates {
        let authority: LocalAuthority
        do throws(LocalAuthorityError) {
            authority = try LocalAuthority.forRun(
                of: hosts,
                at: environment.machineTime.moment.wall
            )
        } catch {
            throw CommandFailure(.badInput, "--forward: no certificate could be made")
        }
        options.forward = ProxyOptions.Forward(
            hosts,
            port: command.forwardPort,
            authority: authority
        )
        return RunCertificates(
            of: authority,
            for: hosts,
            beside: command.caFile,
            in: environment.variables,
            to: try AuthorityFiles(in: environment)
        )
    }

    /// Returns the addresses of the proxy for the backends: an address of the network if other
    /// machines may use it.
    private func routes(
        to origins: [ProxiedOrigin],
        at addresses: [NetworkAddress],
        certificate: String?,
        forward port: Int?,
        trusting certificates: RunCertificates?
    ) -> ProxyRoutes {
        let scheme = certificate == nil ? "http" : "https"
        let own = NetworkAddress(command.host).flatMap { $0.isLoopback ? $0.host : nil }
        let host = addresses.first?.host ?? own ?? "127.0.0.1"
        return ProxyRoutes(
            origins.map { proxied in
                ProxyRoutes.Route(
                    address: "\(scheme)://\(host):\(proxied.port)",
                    port: proxied.port,
                    backend: proxied.origin.description
                )
            },
            forward: port.map { port in
                ProxyRoutes.Forward(
                    address: "http://\(host):\(port)",
                    hosts: forwarded?.names ?? [],
                    certificates: certificates?.path ?? ""
                )
            },
            certificate: certificate,
            isRemote: command.allowsRemote && !addresses.isEmpty,
            addsCORS: command.addsCORS
        )
    }

    private func evidence(
        of configuration: ObservationMachine.Configuration
    ) throws -> TrafficEvidence {
        let header = ObservationRecording.Header(
            of: configuration,
            startedAt: environment.machineTime.moment
        )
        return try TrafficEvidence(
            recorder: command.record.recorder(of: header),
            options: command.evidence,
            baseURL: configuration.baseURL
        )
    }

    /// Opens the control port if one is wanted.
    ///
    /// - Returns: Its address.
    private func listen(with server: ControlServer) async throws(CommandFailure) -> String? {
        guard let control = command.control else { return nil }
        do throws(ProxyError) {
            let url = "http://127.0.0.1:\(try await server.start(port: control))"
            if !command.display.wantsScreen {
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
        log: EventLog?
    ) async throws -> Int32 {
        if !command.display.wantsScreen {
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
            sessions: [],
            display: command.display,
            defaults: defaults,
            environment: environment,
            log: log,
            app: app
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if let client {
                let address = try BackendOrigin(parsing: app.routes.address)
                group.addTask { await client(address) }
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
        trusting certificates: RunCertificates?
    ) async throws -> Int32 {
        guard
            let program = ForegroundProgram(
                ["sh", "-c", exec],
                variables: environment.variables,
                inheritance: inheritance
            )
        else { throw CommandFailure(.badInput, "--exec: there is no sh in PATH") }
        warn(app)
        let address = app.routes.address
        let names = ["AUTHTOP_PROXY_URL"] + command.env
        var variables = Dictionary(names.map { ($0, address) }) { first, _ in first }
        if let forward = app.routes.forward, let certificates {
            let proxy = try BackendOrigin(parsing: forward.address, allowInsecure: true)
            variables.merge(certificates.variables(of: proxy)) { first, _ in first }
        }
        if let controlURL { variables["AUTHTOP_CONTROL_URL"] = controlURL }
        if let file = app.routes.certificate { variables["AUTHTOP_CA_FILE"] = file }
        async let reading: Void = app.run()
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
        switch ending {
        case .exited(let code): return code
        case .signaled(let signal): return 128 + signal
        }
    }

    // MARK: - Afterwards

    /// Writes the reports, each regardless of the others, and ends the program if it does not end
    /// with 0.
    ///
    /// - Parameters:
    ///   - store: The store of the observed traffic.
    ///   - code: The exit code of what the proxy ran beside, or 0.
    ///   - unwritten: Why other files were not written.
    /// - Throws: `CommandFailure` if something was found that makes the run fail, or a file cannot be
    ///   written.
    private func report(
        on store: ObservationStore,
        code: Int32,
        beside unwritten: [CommandFailure]
    ) async throws {
        var failures = unwritten
        let marks = await store.marks
        let report = FindingsReport(
            findings: await store.findings,
            scorecards: await store.scorecards,
            omitted: await store.omitted,
            coverage: await store.coverage,
            misdirected: await store.lastMisdirected,
            accepted: accepted
        )
        let lines = command.exec == nil ? report.omissions.map { "authtop: \($0)" } : report.lines
        for line in lines { StandardError.write(line) }
        let failing = report.failing(limit)
        if let junit = command.junit {
            let numbers = Set(failing.map(\.number))
            let document = JUnitReport(
                findings: report.findings,
                scorecards: report.scorecards,
                marks: marks,
                omissions: report.omissions
            ) { numbers.contains($0.number) }
            failures.collect { () throws(CommandFailure) in try document.write(to: junit) }
        }
        if let summary = environment.variables["GITHUB_STEP_SUMMARY"], !summary.isEmpty {
            let step = StepSummary(report: report)
            failures.collect { () throws(CommandFailure) in try step.append(to: summary) }
        }
        if code != 0 {
            for failure in failures { StandardError.write("authtop: \(failure.message)") }
            ProgramExit.leave(code)
        }
        let failed = Set(report.failingScorecards(limit).map(\.experiment.description)).sorted()
        if !failing.isEmpty || !failed.isEmpty {
            let names = Set(failing.map(\.rule)).sorted() + failed.map { "experiment \($0)" }
            failures.append(
                CommandFailure(
                    .notSo,
                    "found what --fail-on names: \(names.joined(separator: ", "))"
                )
            )
        } else if await store.traffic.reachedNothing {
            let names = backends.joined(separator: ", ")
            failures.append(CommandFailure(.unreachable, "no request reached \(names)"))
        } else if command.exec != nil, limit != .none, let reason = report.nothingJudged {
            failures.append(CommandFailure(.notJudged, reason))
        }
        if command.exec != nil, report.omissions.isEmpty, await store.traffic.exchanges.isEmpty {
            let question =
                origins.isEmpty
                ? "no request came through: does the program read HTTPS_PROXY and SSL_CERT_FILE?"
                : "no request came: does the program use AUTHTOP_PROXY_URL, or --env NAME?"
            StandardError.write("authtop: \(question)")
        }
        try failures.settle()
    }
}

extension ProxyRun.ReadingProfile {
    /// The profile as the proxy sees its requests: without what each address of `--to` adds to their
    /// paths.
    ///
    /// Another host than that of the profile may serve them with the path of its base URL, or without
    /// it.
    ///
    /// - Throws: `CommandFailure` if the base URL of the profile is none.
    init(_ profile: Profile, behind origins: [ProxiedOrigin]) throws {
        dialect = profile.dialect
        addedPaths = origins.map(\.origin.pathPrefix).filter { !$0.isEmpty }
        guard let base = try profile.checkedOrigin(), !base.pathPrefix.isEmpty else { return }
        let own = origins.map(\.origin).filter { $0.withoutPath == base.withoutPath }
        let paths = (own.isEmpty ? origins.map(\.origin) : own).compactMap { origin in
            base.path(behind: origin)
        }
        basePaths = own.isEmpty || paths.isEmpty ? paths + [""] : paths
    }
}

extension BackendOrigin {
    /// Returns what its path adds to that of another address, or `nil` if it is not below that.
    fileprivate func path(behind other: BackendOrigin) -> String? {
        guard pathPrefix.begins(with: other.pathPrefix) else { return nil }
        let rest = String(pathPrefix.dropFirst(other.pathPrefix.count))
        return rest.isEmpty || rest.begins(with: "/") ? rest : nil
    }
}
