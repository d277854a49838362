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

    @Option(
        help: ArgumentHelp(
            "Be a proxy to every server (HTTPS_PROXY), and open what goes to these hosts.",
            discussion: """
                Names such as api.example.com or *.example.org, comma-separated; may be repeated. The \
                app keeps the addresses of its backends, and nothing in its messages is rewritten. \
                Connections to other hosts pass unseen. With --exec, the command is given the proxy \
                and the certificates to trust.
                """,
            valueName: "hosts"
        )
    )
    var forward: [String] = []

    @Option(help: "The port of the first backend without one; 0 chooses free ones.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            """
            The address of this machine to listen at, such as 0.0.0.0 for a phone in the same network; \
            others than 127.0.0.1 need --allow-remote.
            """,
            valueName: "address"
        )
    )
    var host = "127.0.0.1"

    @Flag(
        name: .customLong("allow-remote"),
        help:
            "Allow other machines to use the proxy; without --tls, tokens cross the network as they are."
    )
    var allowsRemote = false

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Another allowed name in the Host header of requests; repeatable.",
            discussion: """
                Any name but localhost, *.localhost, 127.0.0.1, [::1] and, with --allow-remote, the \
                addresses of this machine is refused with 421, so that no web page can reach the \
                backend under a name of its own.
                """,
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Flag(help: "Watch a clumsy app on the built-in backend: nothing else is needed.")
    var demo = false

    @Flag(
        name: .customLong("tls"),
        help: "Speak TLS with the app; authtop proxy ca says how to trust the certificate."
    )
    var usesTLS = false

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

    @Flag(
        name: .customLong("keep-encoding"),
        help: "Leave the Accept-Encoding field of requests as it is; br and zstd cannot be read."
    )
    var keepsEncoding = false

    @Flag(
        name: .customLong("forwarded"),
        help: "Add X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto to requests."
    )
    var addsForwarded = false

    @Flag(
        name: .customLong("cors"),
        help: ArgumentHelp(
            """
            Add what answers lack so that pages from this machine, such as of a development server, can \
            read them (CORS). This hides a bug that production will have.
            """
        )
    )
    var addsCORS = false

    @Option(
        name: .customLong("cors-origin"),
        help: ArgumentHelp(
            """
            With --cors, the origin of pages on another machine that can read answers too; may be \
            repeated.
            """,
            valueName: "origin"
        )
    )
    var corsOrigins: [String] = []

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
        ),
        completion: .list(["bugs", "none"] + FindingRule.all.map(\.name))
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
        ),
        completion: .list(Fault.ofApp.map(\.name))
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
        guard demo || !to.isEmpty || !forward.isEmpty else {
            throw ValidationError(
                "Missing expected option '--to <url>' or '--forward <hosts>' (or --demo, to try it)"
            )
        }
        guard !demo || to.isEmpty && forward.isEmpty && profile == nil else {
            throw ValidationError(
                "--demo brings its own backend: leave out --to, --forward and the profile"
            )
        }
        guard !demo || !usesTLS else {
            throw ValidationError("--demo brings its own app, which has no TLS: leave out --tls")
        }
        guard let address = NetworkAddress(host == "localhost" ? "127.0.0.1" : host) else {
            throw ValidationError(
                "--host \(host): expected an address, such as 127.0.0.1 or 0.0.0.0"
            )
        }
        guard address.isLoopback || allowsRemote else {
            throw ValidationError(
                "--host \(host): other machines could use the proxy then; add --allow-remote to allow it"
            )
        }
        try RequestHost.checkAllowed(allowedHosts)
        guard corsOrigins.isEmpty || addsCORS else {
            throw ValidationError("--cors-origin is for --cors: add it")
        }
        guard exec == nil || !display.json && display.frameSize == nil else {
            throw ValidationError(
                "--exec leaves stdout to its program: expected --record FILE in place of --json and "
                    + "--print-frame"
            )
        }
        guard fault.isEmpty || !display.isReadOnly else {
            throw ValidationError("--readonly forbids experiments: leave out --fault")
        }
        try ListeningPort.check(port, of: "--port")
        try ListeningPort.check(control, of: "--control")
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
        let plan = try plan()
        let accepted = try accept.map(AcceptedFindings.init(readingFile:)) ?? .none
        @Sendable func watch(
            _ origins: [ProxiedOrigin],
            _ profile: ProxyRun.ReadingProfile?,
            client: ProxyRun.Client? = nil
        ) async throws {
            try await ProxyRun(
                command: self,
                origins: origins,
                forwarded: try forwardedHosts(),
                profile: profile,
                limit: limit,
                plan: plan,
                accepted: accepted,
                environment: environment,
                inheritance: inheritance,
                client: client
            ).run()
        }
        if demo {
            return try await ProxyDemo(environment: environment)
                .whileRunning { origin, dialect, client in
                    try await watch(
                        [ProxiedOrigin(origin, port: port ?? 0)],
                        ProxyRun.ReadingProfile(dialect: dialect),
                        client: client
                    )
                }
        }
        let origins = try origins()
        var chosen: ProxyRun.ReadingProfile?
        if let profile {
            chosen = try ProxyRun.ReadingProfile(
                try await environment.profile(named: profile, caFile: caFile),
                behind: origins
            )
        }
        try await watch(origins, chosen)
    }

    /// - Returns: `nil` without `--cors`.
    /// - Throws: `CommandFailure` for what is no origin.
    func crossOriginAccess() throws -> CrossOriginAccess? {
        guard addsCORS else { return nil }
        let named = try corsOrigins.map { text throws(CommandFailure) in
            do throws(BackendOriginError) {
                let origin = try BackendOrigin(parsing: text, allowInsecure: true)
                if origin == origin.withoutPath { return origin }
            } catch {
                throw CommandFailure(.badInput, "--cors-origin: \(error.description)")
            }
            throw CommandFailure(
                .badInput,
                "--cors-origin \(text.inOneLine(limit: 80)): an origin has no path: leave it out"
            )
        }
        return CrossOriginAccess(alsoFor: Set(named))
    }

    private func plan() throws(CommandFailure) -> [FaultSetting] {
        var plan: [FaultSetting] = []
        for text in fault {
            let name = "--fault \(text.visibleInOneLine)"
            do throws(FaultSettingError) {
                plan.append(try FaultSetting(parsing: text, at: .app))
            } catch {
                throw CommandFailure(.badInput, "\(name): \(error)")
            }
            guard plan.last?.state != .off else {
                throw CommandFailure(.badInput, "\(name): expected an experiment to begin")
            }
        }
        return plan
    }

    /// - Returns: `nil` without `--forward`.
    /// - Throws: `CommandFailure` for what is no host.
    private func forwardedHosts() throws(CommandFailure) -> ForwardedHosts? {
        guard !forward.isEmpty else { return nil }
        do throws(ForwardedHostError) {
            return try ForwardedHosts(parsing: forward)
        } catch {
            throw CommandFailure(.badInput, "--forward: \(error.description)")
        }
    }

    /// The port of the forward proxy: the one after those of the backends.
    var forwardPort: Int {
        let first = port ?? Self.usualPort
        return first == 0 ? 0 : first + to.count
    }

    /// - Throws: `CommandFailure` for what is no address of a backend.
    private func origins() throws -> [ProxiedOrigin] {
        var next = port ?? Self.usualPort
        return try to.map { text in
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
                let origin = try BackendOrigin(parsing: url, allowInsecure: allowsInsecure)
                return ProxiedOrigin(origin, port: port)
            } catch {
                throw CommandFailure(.badInput, "--to: \(error.description)")
            }
        }
    }
}
