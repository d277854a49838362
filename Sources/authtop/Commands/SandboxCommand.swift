import ArgumentParser
import Backend
import Basics
import Model
import Profiles
import Sandbox

struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Run the built-in backend alone, for an app under test.",
        usage: "authtop sandbox [<options>]",
        discussion: """
            It serves every dialect, each under /NAME/… and at the root, where the token of a \
            request selects among dialects with the same path. GET /__sandbox/state returns its state, \
            POST /__sandbox/faults sets its faults.
            """
    )

    @Option(help: "The port; 0 chooses a free one.")
    var port = SandboxConfiguration.usualPort

    @Option(help: "The address to listen on; other machines can connect unless it is loopback.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Another allowed name in the Host header of requests; repeatable.",
            discussion: """
                Any name but localhost, *.localhost and 127.0.0.1 is rejected with 421, so that no \
                web page can reach the sandbox under a name of its own.
                """,
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Option(
        help: """
            The kind of backend (dialect) that is served at the root: \
            \(DialectCatalogue.builtInNames).
            """,
        completion: .dialects
    )
    var dialect: String?

    @Option(
        help: ArgumentHelp(
            "Also serve this profile under its name, with the rotation and reuse that it states.",
            discussion: """
                authtop check --write-profile writes such a profile: the sandbox then treats \
                refresh tokens as the checked backend does.
                """,
            valueName: "profile"
        ),
        completion: .profiles
    )
    var like: String?

    @Option(name: .customLong("access-ttl"), help: "The lifetime of an access token.")
    var accessLifetime = DurationArgument(seconds: 20)

    @Option(name: .customLong("refresh-ttl"), help: "The lifetime of a refresh token.")
    var refreshLifetime = DurationArgument(seconds: 300)

    @Flag(
        name: .customLong("documented-ttl"),
        help: "Use the lifetimes that each dialect documents."
    )
    var usesDocumentedLifetimes = false

    @Option(name: .customLong("feed-rate"), help: "The feed messages per second, for each user.")
    var feedRate = 10.0

    @Option(
        name: .customLong("feed-lag"),
        help: ArgumentHelp(
            "The messages by which a client may stay behind before it is closed with 1013.",
            valueName: "messages"
        )
    )
    var feedLag: Int64 = 1000

    @Flag(
        name: .customLong("no-compression"),
        help: "Do not compress the messages of the feed."
    )
    var noCompression = false

    @Option(help: "Determines all tokens.")
    var seed: UInt64?

    @OptionGroup(title: "Faults") var backend: BackendOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        try ListeningPort.check(port, of: "--port")
        try RequestHost.checkAllowed(allowedHosts)
        guard feedRate.isFinite, (0...10_000).contains(feedRate) else {
            throw ValidationError("--feed-rate \(feedRate): expected 0 to 10000")
        }
        guard (1...1_000_000_000).contains(feedLag) else {
            throw ValidationError("--feed-lag \(feedLag): expected 1 to 1000000000")
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        if let dialect { try DialectCatalogue.checkServed(dialect) }
        let eventLog = try log.eventLog()
        let seed = seed ?? environment.randomSeed()
        let usual = SandboxConfiguration(
            host: host,
            allowedHosts: allowedHosts,
            port: port,
            primary: dialect,
            accessLifetime: usesDocumentedLifetimes ? nil : accessLifetime.seconds,
            refreshLifetime: usesDocumentedLifetimes ? nil : refreshLifetime.seconds,
            feed: FeedSettings(rate: feedRate, maximumLag: feedLag)
        )
        var configuration = try backend.added(to: usual, seed: seed)
        configuration.feed.compresses = !noCompression
        let model = try await model(in: environment)
        if let model { configuration.ownReuse[model.name] = ReusePolicy(model.reuse) }
        let sandbox = SandboxRun(
            configuration: configuration,
            environment: environment,
            fingerprinter: environment.fingerprinter(),
            seed: seed,
            dialects: Dialect.builtIn(),
            prefixed: Profile.providers().map(\.dialect) + [model].compactMap(\.self),
            onFault: {
                StandardError.write("fault \($0)")
                eventLog?.record("fault \($0)")
                if let problem = eventLog?.takeProblem() {
                    StandardError.write("authtop: \(problem)")
                }
            }
        )
        let signals = SignalWatch()
        try await sandbox.whileRunning { [configuration] port, _ in
            describe(configuration, port: port)
            // Without the printed address, callers would hang.
            guard StandardOutput.problem == nil else { return }
            eventLog?.record("sandbox on port \(port)")
            for await signal in signals.signals { ProgramExit.leave(128 + signal) }
        }
    }

    /// Returns the dialect of the profile of `--like`, under the profile's name.
    private func model(in environment: LiveEnvironment) async throws -> Dialect? {
        guard let like else { return nil }
        let profile = try await environment.profile(named: like, caFile: nil)
        let served = Dialect.builtInNames + Profile.providerSources.keys
        guard !served.contains(profile.name) else {
            throw CommandFailure(
                .badInput,
                "--like \(profile.name): it is served anyway, by its documentation: expected a "
                    + "profile of your own"
            )
        }
        var dialect = profile.dialect
        dialect.name = profile.name
        return dialect
    }

    private func describe(_ configuration: SandboxConfiguration, port: Int) {
        let base = "http://\(host.has(":") ? "[\(host)]" : host):\(port)"
        var lines = ["sandbox at \(base)"]
        for name in Dialect.builtInNames {
            lines.append("  \(name.padded(to: 12)) \(base)/\(name)")
        }
        if let name = configuration.ownReuse.keys.first {
            lines.append("  \(name.padded(to: 12)) \(base)/\(name)")
        }
        let providers = Profile.providerSources.keys.sorted()
        lines += [
            "  also under their names: \(providers.joined(separator: ", "))",
            "user    user@example.com, password \"password\", code 123456, identity token \"sandbox\"",
            "        for oauth2: username \"sandbox\", client \"sandbox\" with secret \"secret\"",
            "state   \(base)/__sandbox/state",
            "faults  curl -d '{\"once\": \"rate-limit\"}' \(base)/__sandbox/faults",
        ]
        if !configuration.faults.isEmpty {
            let faults = configuration.faults.map(\.description).joined(separator: ", ")
            lines.append("        set by --faults: \(faults)")
        }
        if let seed = configuration.faultSchedule {
            lines.append("        set by a schedule from --seed \(seed)")
        }
        if !configuration.isLoopback { lines.append("warning: other machines can reach it") }
        for line in lines where !StandardOutput.write(line, wrappedBelow: 8) { return }
    }
}

extension String {
    /// Returns the text padded with spaces to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
