import ArgumentParser
import Model
import Observer
import Platform
import Profiles
import Proxy
import UI

/// The backends of a run of the proxy, its place, and its conditions.
struct ProxyRunOptions: ParsableArguments {
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
                and the certificates to trust. With --demo, without hosts: its app is watched so.
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
        completion: .commaSeparated(["bugs", "none"] + FindingRule.all.map(\.name))
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

    /// The port of the first backend without one of its own, or 0 for free ones.
    var firstPort: Int { port ?? (demo ? 0 : 9000) }

    /// The port of the forward proxy: the one after those of the backends.
    var forwardPort: Int { firstPort == 0 ? 0 : firstPort + to.count }

    func validate() throws {
        guard !demo || to.isEmpty else {
            throw ValidationError("--demo brings its own backend: leave out --to")
        }
        guard !demo || forward.isEmpty || forward == [ProxyDemo.host] else {
            throw ValidationError(
                "--demo has its backend at \(ProxyDemo.host): expected --forward alone"
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
}
