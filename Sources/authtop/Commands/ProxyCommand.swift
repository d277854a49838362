import ArgumentParser
import Basics
import Model
import Observer
import Platform
import Profiles
import Proxy
import UI

/// `authtop proxy --to …` is `authtop proxy run --to …`.
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Watch the sessions of your own app: a local proxy between it and its backend.",
        discussion: """
            authtop proxy --to https://api.example.com

            The app uses the proxy's address, which is shown, in place of its backend's. Without an \
            app: authtop proxy --demo. All options: authtop proxy run --help.
            """,
        subcommands: [
            ProxyRunCommand.self, ProxyExplainCommand.self, ProxyAuthorityCommand.self,
        ],
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
            makes it fail, 1 something was, 2 bad input, 3 there were requests, and none reached its \
            backend, 4 nothing could be judged: no request came, or no token was recognized.
            """
    )

    @Argument(
        help: ArgumentHelp("The profile of the backend.", valueName: "profile"),
        completion: .profiles
    )
    var profile: String?

    /// Apart from the profile, so that a shell completes `authtop proxy` with them alone: where it could
    /// name a profile, it would not name a command.
    @OptionGroup var options: ProxyRunOptions

    func validate() throws {
        guard !options.demo || profile == nil else {
            throw ValidationError("--demo brings its own backend: leave out the profile")
        }
    }

    /// Whether the command line says what to watch.
    private var namesSubject: Bool {
        options.demo || !options.to.isEmpty || !options.forward.isEmpty
    }

    /// Whether a user can be asked.
    private var canAsk: Bool { options.display.wantsScreen && StandardInput.isTerminal }

    static let expectation =
        "expected --to https://api.example.com, or --forward api.example.com --exec COMMAND for a program "
        + "that has its addresses built in, or --demo; on a terminal, it is asked for"

    mutating func run() async throws {
        // Before anything is opened.
        let inheritance = ForegroundProgram.Inheritance(fileMode: ProcessGuard.inheritedFileMode)
        let environment = LiveEnvironment()
        if !namesSubject {
            guard canAsk else {
                throw CommandFailure(
                    .badInput,
                    "What should be watched is not named: \(Self.expectation)"
                )
            }
            try askForSubject(in: environment)
            try options.validate()
        }
        try await watch(in: environment, inheriting: inheritance)
    }

    /// Asks the user at the terminal what to watch.
    ///
    /// - Throws: `CommandFailure` if nothing is named.
    private mutating func askForSubject(in environment: LiveEnvironment) throws {
        guard let prompt = TerminalPrompt() else {
            throw CommandFailure(.badInput, Self.expectation)
        }
        let questions = ProxyQuestions(
            ask: { prompt.ask($0, isSecret: false) },
            say: { _ = StandardOutput.write($0) },
            isProgram: { ForegroundProgram.exists($0, in: environment.variables) },
            listeningPorts: SocketTable.listeningPorts,
            words: ["authtop"] + CommandLine.arguments.dropFirst(),
            command: options.exec
        )
        switch try questions.choice() {
        case .demo: options.demo = true
        case .backend(let url): options.to = [url]
        case .command(let command, let backend):
            options.exec = command
            switch backend {
            case .hosts(let hosts): options.forward = hosts
            case .variable(let name, let url):
                options.to = [url]
                options.env.append(name)
            }
        }
    }

    private func watch(
        in environment: LiveEnvironment,
        inheriting inheritance: ForegroundProgram.Inheritance
    ) async throws {
        let limit = try FindingsReport.Limit(
            parsing: options.tests.failOn ?? (options.exec == nil ? "none" : "bugs")
        )
        let plan = try FaultSetting.plan(parsing: options.tests.fault, at: .app)
        let accepted = try options.tests.accept.map(AcceptedFindings.init(readingFile:)) ?? .none
        @Sendable func watch(
            _ origins: [ProxiedOrigin],
            _ profile: ProxyRun.ReadingProfile?,
            on stage: ProxyDemo.Stage? = nil
        ) async throws {
            try await ProxyRun(
                options: options,
                origins: origins,
                forwarded: try forwardedHosts(),
                profile: profile,
                limit: limit,
                plan: plan,
                accepted: accepted,
                environment: environment,
                inheritance: inheritance,
                trust: stage?.trust,
                client: stage?.client
            ).run()
        }
        if options.demo {
            return try await ProxyDemo(
                environment: environment,
                isForwarded: !options.forward.isEmpty
            )
            .whileRunning { stage in
                try await watch(
                    stage.origin.map { [ProxiedOrigin($0, port: options.port ?? 0)] } ?? [],
                    ProxyRun.ReadingProfile(dialect: stage.dialect),
                    on: stage
                )
            }
        }
        let origins = try origins()
        var chosen: ProxyRun.ReadingProfile?
        if let profile {
            chosen = try ProxyRun.ReadingProfile(
                try await environment.profile(named: profile, caFile: options.network.trust.caFile),
                behind: origins
            )
        }
        try await watch(origins, chosen)
    }

    /// - Returns: `nil` without `--forward`.
    /// - Throws: `CommandFailure` for what is no host.
    private func forwardedHosts() throws(CommandFailure) -> ForwardedHosts? {
        guard !options.forward.isEmpty else { return nil }
        do throws(ForwardedHostError) {
            return try ForwardedHosts(parsing: options.forward)
        } catch {
            throw CommandFailure(.badInput, "--forward: \(error.description)")
        }
    }

    /// - Throws: `CommandFailure` for what is no address of a backend.
    private func origins() throws -> [ProxiedOrigin] {
        var next = options.firstPort
        return try options.to.map { text in
            let parts = text.parts(at: "=", keepsEmpty: true)
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
                let origin = try BackendOrigin(
                    parsing: url,
                    allowInsecure: options.network.allowsInsecure
                )
                return ProxiedOrigin(origin, port: port)
            } catch {
                throw CommandFailure(.badInput, "--to: \(error.description)")
            }
        }
    }
}
