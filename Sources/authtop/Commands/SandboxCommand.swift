import ArgumentParser
import Backend
import Dialects
import Sandbox
import Tokens

struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Run the built-in backend alone, for an app under test.",
        discussion: """
            It speaks every dialect, each under /NAME/…, and at the root, where a path that \
            several share follows the token in the request. GET /__sandbox/state tells what it knows, \
            POST /__sandbox/faults switches its faults.
            """
    )

    @Option(help: "Port; 0 takes a free one.")
    var port = SandboxConfiguration.usualPort

    @Option(help: "Address to listen on; anything but loopback lets other machines in.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Another name in the Host header of requests; repeatable.",
            discussion: """
                Any name but localhost, *.localhost and 127.0.0.1 is refused with 421, so that no \
                web page can reach the sandbox under a name of its own.
                """,
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Option(
        help: "The dialect that owns every path at the root: \(DialectCatalogue.builtInNames).",
        completion: .dialects
    )
    var dialect: String?

    @Option(name: .customLong("access-ttl"), help: "Life of an access token.")
    var accessLifetime = DurationArgument(seconds: 20)

    @Option(name: .customLong("refresh-ttl"), help: "Life of a refresh token.")
    var refreshLifetime = DurationArgument(seconds: 300)

    @Flag(
        name: .customLong("documented-ttl"),
        help: "Tokens live as long as each dialect documents instead."
    )
    var usesDocumentedLifetimes = false

    @Option(name: .customLong("feed-rate"), help: "Feed messages a second, for each user.")
    var feedRate = 10.0

    @Option(help: "Decides every token.")
    var seed: UInt64?

    @OptionGroup(title: "Faults") var backend: BackendOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port \(port): expected 0 to 65535")
        }
        if let host = allowedHosts.first(where: {
            $0.isEmpty || $0.contains { "/:@ ".contains($0) }
        }) {
            throw ValidationError("--allow-host \(host): expected a name without a port")
        }
        guard feedRate.isFinite, (0...10_000).contains(feedRate) else {
            throw ValidationError("--feed-rate \(feedRate): expected 0 to 10000")
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        if let dialect { _ = try DialectCatalogue.builtIn(named: dialect) }
        let eventLog = try log.eventLog()
        let seed = seed ?? environment.randomSeed()
        let usual = SandboxConfiguration(
            host: host,
            allowedHosts: allowedHosts,
            port: port,
            primary: dialect,
            accessLifetime: usesDocumentedLifetimes ? nil : accessLifetime.seconds,
            refreshLifetime: usesDocumentedLifetimes ? nil : refreshLifetime.seconds,
            feed: FeedSettings(rate: feedRate)
        )
        let configuration = try backend.added(to: usual, seed: seed)
        let sandbox = SandboxRun(
            configuration: configuration,
            environment: environment,
            fingerprinter: environment.fingerprinter(),
            seed: seed,
            onFault: {
                StandardError.write("fault \($0)")
                eventLog?.note("fault \($0)")
            }
        )
        let signals = SignalWatch()
        try await sandbox.whileRunning { port in
            describe(configuration, port: port)
            eventLog?.note("sandbox on port \(port)")
            for await signal in signals.signals { ProgramExit.leave(128 + signal) }
        }
    }

    private func describe(_ configuration: SandboxConfiguration, port: Int) {
        let base = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        var lines = ["sandbox at \(base)"]
        for name in Dialect.builtIn().map(\.name) {
            lines.append("  \(name.padded(to: 12)) \(base)/\(name)")
        }
        lines += [
            "user    user@example.com, password \"password\", code 123456, identity token \"sandbox\"",
            "        for oauth2: username \"sandbox\", client \"sandbox\" with secret \"secret\"",
            "state   \(base)/__sandbox/state",
            "faults  curl -d '{\"once\": \"rate-limit\"}' \(base)/__sandbox/faults",
        ]
        if !configuration.faults.isEmpty {
            let faults = configuration.faults.map(\.description).joined(separator: ", ")
            lines.append("        on from the beginning: \(faults)")
        }
        if let seed = configuration.faultSchedule {
            lines.append("        they come and go by --seed \(seed)")
        }
        if !configuration.isLoopback { lines.append("warning: other machines can reach it") }
        for line in lines where !StandardOutput.write(line) { return }
    }
}

extension String {
    /// With blanks up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
