import ArgumentParser

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

    @Flag(help: "Watch a clumsy app on the built-in backend: nothing else is needed.")
    var demo = false

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

    @OptionGroup(title: "Network") var network: ProxyNetworkOptions

    @OptionGroup(title: "Requests and answers") var messages: ProxyMessageOptions

    @OptionGroup(title: "Tests and experiments") var tests: ProxyTestOptions

    @OptionGroup(title: "Display") var display: DisplayOptions

    @OptionGroup(title: "Log") var log: LogOptions

    @OptionGroup(title: "Recording") var record: RecordOptions

    @OptionGroup(title: "Evidence") var evidence: EvidenceOptions

    @OptionGroup(title: "Monitoring") var monitoring: MonitorOptions

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
        guard !demo || !network.usesTLS else {
            throw ValidationError("--demo brings its own app, which has no TLS: leave out --tls")
        }
        guard exec == nil || !display.json && display.frameSize == nil else {
            throw ValidationError(
                "--exec leaves stdout to its program: expected --record FILE in place of --json and "
                    + "--print-frame"
            )
        }
        guard tests.fault.isEmpty || !display.isReadOnly else {
            throw ValidationError("--readonly forbids experiments: leave out --fault")
        }
        try ListeningPort.check(port, of: "--port")
        guard env.isEmpty || exec != nil else {
            throw ValidationError("--env is for the program of --exec: start one")
        }
        for name in env where name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) == nil {
            throw ValidationError(
                "--env: expected letters, digits and underscores, not beginning with a digit"
            )
        }
    }
}
