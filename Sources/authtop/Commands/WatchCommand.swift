import ArgumentParser
import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Log in to backends, or resume the stored sessions, and watch them.",
        discussion: """
            A stored session is resumed without credentials. Several profiles \
            are watched side by side: [ and ] select the session that is shown. Without a profile, \
            the sessions of this machine are shown.

            Credentials come from AUTHTOP_<PROFILE>_<CREDENTIAL>, such as \
            AUTHTOP_VOLTYKS_PASSWORD, from a file, from a command that the profile names, or from \
            a prompt, never from an argument. With several profiles there is no prompt before the \
            start; the key o logs in.

            Exit codes: 0 every session was alive at the end, or was ended by the user; else that of \
            the worst: 1 a session ended or was refused, 2 bad input, 3 not reachable.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The profiles: \(DialectCatalogue.builtInNames), or files of your own.",
            valueName: "profile"
        ),
        completion: .profiles
    )
    var profiles: [String] = []

    @Flag(
        help: """
            Watch every session that is stored, and every profile with a base_url whose \
            credentials are available.
            """
    )
    var all = false

    @OptionGroup var connection: ConnectionOptions

    @Option(help: "The interval of automatic protected requests; default: none.")
    var every: DurationArgument?

    @Flag(
        name: .customLong("no-compression"),
        help: "Do not offer to the backend that the feed's messages be compressed."
    )
    var noCompression = false

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp(
            "Start with a pair of tokens: - for stdin, or a file of mode 0600.",
            discussion: """
                JSON, as in the backend's responses or with common names; lines such as \
                accessToken = …, with the names in an app's key chain; or two lines: the access \
                token, then the refresh token.
                """,
            valueName: "-|file"
        ),
        completion: .file()
    )
    var importPlace: String?

    @OptionGroup(title: "Population") var population: PopulationOptions

    @OptionGroup var browser: BrowserOptions

    @OptionGroup(title: "Experiments") var experiments: ExperimentOptions

    @OptionGroup(title: "Display") var display: DisplayOptions

    @OptionGroup(title: "Log") var log: LogOptions

    @OptionGroup(title: "Recording") var record: RecordOptions

    @OptionGroup(title: "Monitoring") var monitoring: MonitorOptions

    func validate() throws {
        guard !all || profiles.isEmpty else { throw ValidationError("--all takes no profile") }
        guard population.users == nil || profiles.count == 1 else {
            throw ValidationError("--users is for one profile: name it")
        }
        guard population.users == nil || importPlace == nil else {
            throw ValidationError("--import is for one session, and --users for several")
        }
    }

    /// Whether the user can be asked what to watch.
    private var canChoose: Bool {
        !all && profiles.isEmpty && display.wantsScreen && StandardInput.isTerminal
    }

    func run() async throws {
        _ = try await watch()
    }

    /// Watches until the run ends.
    ///
    /// - Returns: Its end, or `nil` if all sessions have ended by themselves.
    func watch() async throws -> RunEnd? {
        try checkOptions()
        let experiments = try experiments.plan(isReadOnly: display.isReadOnly)
        let environment = LiveEnvironment()
        let defaults = try display.defaults(in: environment)
        let notifier = try display.notifier(in: environment)
        guard !canChoose else { return try await runChosen(in: environment) }
        guard all || !profiles.isEmpty else {
            throw CommandFailure(
                .badInput,
                "which backend? Expected a profile, or --all: authtop profiles lists them; "
                    + "authtop demo needs none"
            )
        }
        let targets =
            all
            ? try await WatchTargets(allOn: connection, in: environment)
            : try await WatchTargets(named: profiles, on: connection, in: environment)
        var eventLog: EventLog?
        for profile in targets.profiles {
            let log = try log.eventLog(of: profile)
            eventLog = eventLog ?? log
        }
        let users = try await population.population(of: targets.profiles[0], in: environment)
        let plans = try await plans(of: targets, with: users, in: environment)
        let monitor = try monitoring.monitor(
            of: plans.map { ($0.id, $0.profile) },
            in: environment
        )
        let recorder = try record.recorder(
            of: plans.map { Recording.Session(id: $0.id, faults: []) },
            at: environment.time.moment
        )
        if importPlace == "-", display.wantsScreen { StandardInput.becomeTerminal() }
        var configuration = try environment.networkConfiguration(caFile: connection.trust.caFile)
        configuration.compressesFeed = !noCompression
        return try await withNetwork(configuration) { [eventLog] network in
            // The sandbox has no room for a socket of each of thousands of users.
            let ready =
                users == nil
                ? try await withSandboxFeeds(plans, on: network, in: environment) : plans
            let events = EventHub(capacity: EventHub.capacity + Self.eventsEach * ready.count)
            let sessions = try ready.map {
                try WatchedSession($0, on: network, in: environment, events: events)
            }
            let run = SessionRun(
                sessions: WatchedSessions(sessions),
                events: events,
                display: display,
                defaults: defaults,
                environment: environment,
                log: eventLog,
                recorder: recorder,
                experiments: experiments,
                notifier: notifier,
                monitor: monitor,
                lease: users?.lease
            )
            return try await run.run()
        }
    }

    /// Shows what there is, and watches what is chosen of it.
    private func runChosen(in environment: LiveEnvironment) async throws -> RunEnd? {
        let run = LocalRun(try environment.stores(named: []), on: connection, in: environment)
        try await run.show(display.appearance) { profile, baseURL in
            var command = self
            command.profiles = [profile]
            command.connection.baseURL = baseURL ?? connection.baseURL
            return try await command.watch()
        }
        return .quit
    }

    /// - Throws: `CommandFailure` for an option that applies to one session only.
    private func checkOptions() throws {
        guard all || profiles.count > 1 else { return }
        let options = [
            ("--base-url", connection.baseURL), ("--credentials", connection.credentials),
            ("--import", importPlace),
        ]
        for (name, value) in options where value != nil {
            throw CommandFailure(
                .badInput,
                "\(name) is for one session: name one profile, not "
                    + (all ? "--all" : "\(profiles.count)")
            )
        }
    }

    /// The unread events of each of several sessions before a reader loses some.
    private static let eventsEach = 64

    /// Creates the plans of all sessions.
    ///
    /// - Parameters:
    ///   - targets: The profiles.
    ///   - users: The users of the only one, if each has a session.
    ///   - environment: The environment.
    /// - Returns: The plans.
    /// - Throws: `CommandFailure` if a session cannot be opened.
    private func plans(
        of targets: WatchTargets,
        with users: Population?,
        in environment: LiveEnvironment
    ) async throws -> [SessionPlan] {
        let fingerprinter = environment.fingerprinter()
        var plans: [SessionPlan]
        if let users {
            plans = try users.plans(fingerprinter: fingerprinter, in: environment)
            for place in plans.indices { plans[place].requestEvery = every?.seconds }
        } else {
            let isOnlyOne = targets.profiles.count == 1
            plans = try await targets.plans { id, profile in
                try await plan(
                    id,
                    profile,
                    asks: isOnlyOne,
                    fingerprinter: fingerprinter,
                    in: environment
                )
            }
        }
        let admission = population.admission(until: users?.lease?.permit)
        let crowd = SessionPlan.Crowd(count: plans.count, admission: admission)
        for place in plans.indices { plans[place].crowd = crowd }
        return plans
    }

    /// Creates the plan of a session; asks the user for credentials before the start only if `asks`
    /// is `true`.
    private func plan(
        _ id: SessionID,
        _ chosen: ChosenProfile,
        asks: Bool,
        fingerprinter: Fingerprinter,
        in environment: LiveEnvironment
    ) async throws -> SessionPlan {
        var imported: IssuedTokens?
        if let importPlace {
            imported = try await chosen.imported(from: importPlace, in: environment)
        }
        var found =
            asks && imported == nil
            ? try await chosen.foundCredentials()
            : try await chosen.credentials.findWithoutAsking(chosen.dialect.credentials)
        // On the screen, the user can still type the missing credentials.
        if !asks, !display.wantsScreen, let problem = found.problems.first,
            await !chosen.mayHoldSession()
        {
            throw CommandFailure(.badInput, CauseText().text(problem))
        }
        found.origins = chosen.credentials.origins(of: found.values)
        var plan = chosen.plan(id, with: found, fingerprinter: fingerprinter, in: environment)
        plan.requestEvery = every?.seconds
        plan.imported = imported
        plan.signIn = browser.signIn
        return plan
    }
}

/// Adds the sandbox's feed to the plans whose backend is the sandbox, concurrently; asks once for the
/// sessions of one profile.
private func withSandboxFeeds(
    _ plans: [SessionPlan],
    on network: NetworkContext,
    in environment: LiveEnvironment
) async throws -> [SessionPlan] {
    let places = Dictionary(grouping: plans.indices) { place in
        [plans[place].profile, plans[place].origins.base.description]
    }
    return try await withThrowingTaskGroup(of: ([Int], Dialect).self) { group in
        for alike in places.values {
            let first = plans[alike[0]]
            group.addTask {
                (alike, try await first.withSandboxFeed(on: network, in: environment).dialect)
            }
        }
        var plans = plans
        for try await (alike, dialect) in group {
            for place in alike { plans[place].dialect = dialect }
        }
        return plans
    }
}

extension ChosenProfile {
    /// Returns the pair that the user imports.
    ///
    /// - Throws: `CommandFailure` if a session is already stored, or none of the tokens is valid.
    fileprivate func imported(
        from place: String,
        in environment: LiveEnvironment
    ) async throws -> IssuedTokens {
        guard await !mayHoldSession() else {
            throw CommandFailure(
                .badInput,
                "--import: a session of \(name) is already stored: log out first, or "
                    + "--vault memory"
            )
        }
        let imported = try ImportedPair(from: place, for: self, in: environment)
        try imported.check()
        for remark in imported.remarks { StandardError.write("authtop: \(remark)") }
        return imported.pair.tokens
    }
}
