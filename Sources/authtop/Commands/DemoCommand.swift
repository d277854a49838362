import ArgumentParser
import Backend
import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import Sandbox

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Watch a session on the built-in backend: the place to start.",
        usage: "authtop demo [<options>]"
    )

    @Option(
        help: "The kind of backend (dialect): \(DialectCatalogue.builtInNames).",
        completion: .dialects
    )
    var dialect = "bitbasel"

    @Option(name: .customLong("access-ttl"), help: "The lifetime of an access token.")
    var accessLifetime = DurationArgument(seconds: 20)

    @Option(name: .customLong("refresh-ttl"), help: "The lifetime of a refresh token.")
    var refreshLifetime = DurationArgument(seconds: 300)

    @Option(help: "The interval of automatic protected requests.")
    var every = DurationArgument(seconds: 2)

    @Option(help: "The port of the backend; 0 chooses a free one.")
    var port = 0

    @Option(help: "Determines the backend's tokens and all jitter.")
    var seed: UInt64?

    @OptionGroup var vault: VaultOptions

    @OptionGroup(title: "Faults") var backend: BackendOptions

    @OptionGroup(title: "Experiments") var experiments: ExperimentOptions

    @OptionGroup(title: "Display") var display: DisplayOptions

    @OptionGroup(title: "Log") var log: LogOptions

    @OptionGroup(title: "Recording") var record: RecordOptions

    func validate() throws {
        try ListeningPort.check(port, of: "--port")
    }

    func run() async throws {
        let experiments = try experiments.plan(isReadOnly: display.isReadOnly)
        let environment = LiveEnvironment()
        let defaults = try display.defaults(in: environment)
        let dialect = try DialectCatalogue.builtIn(named: dialect)
        let eventLog = try log.eventLog()
        let id = SessionID(dialect.name)
        let recorder = try record.recorder(
            of: [Recording.Session(id: id, faults: backend.faultSettings)],
            at: environment.time.moment
        )
        let seed = seed ?? environment.randomSeed()
        let fingerprinter = Fingerprinter(salt: environment.randomBytes(32))
        let configuration = SandboxConfiguration(
            port: port,
            primary: dialect.name,
            accessLifetime: accessLifetime.seconds,
            refreshLifetime: refreshLifetime.seconds
        )
        let sandbox = SandboxRun(
            configuration: try backend.added(to: configuration, seed: seed),
            environment: environment,
            fingerprinter: fingerprinter,
            seed: seed,
            dialects: [dialect]
        )
        try await sandbox.whileRunning { port, server in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(port)")
            let plan = SessionPlan(
                id: id,
                profile: dialect.name,
                dialect: dialect.withSandboxFeed(),
                origins: BackendOrigins(origin),
                vault: try vault.vault(
                    for: dialect.name,
                    at: origin.description,
                    usual: VaultKind.memory.name,
                    environment: environment
                ),
                credentials: FixedCredentials(values: Account.sandbox.credentials),
                fingerprinter: fingerprinter,
                seed: seed &+ 1,
                requestEvery: every.seconds
            )
            let configuration = try environment.networkConfiguration(caFile: nil)
            try await withNetwork(configuration) { network in
                let events = EventHub()
                let session = try WatchedSession(
                    plan,
                    on: network,
                    in: environment,
                    events: events,
                    includedFaults: { server.activeFaults }
                )
                let run = SessionRun(
                    sessions: WatchedSessions([session]),
                    events: events,
                    display: display,
                    defaults: defaults,
                    environment: environment,
                    log: eventLog,
                    recorder: recorder,
                    experiments: experiments
                )
                try await run.run()
            }
        }
    }
}
