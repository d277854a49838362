import ArgumentParser
import Basics
import Observer
import Platform
import Profiles
import UI

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find out which refresh policy a backend really follows, and name it.",
        discussion: """
            Logs in several times, uses refresh tokens twice, at once and late, and names what the \
            backend does in the words of --reuse. It prints first what it will send. On a terminal \
            the probes are shown while they run: Enter shows the exchanges of one, and q prints the \
            report, and before the end stops the check and logs its sessions out first. It uses only \
            sessions that it starts itself, never the stored one; a backend may answer a reuse by ending every session of the user. logout-all does so by itself, and \
            runs only if --only names it.

            Exit codes: 0 done, and every expectation holds; 1 an expectation does not hold; 2 bad \
            input, or the login was rejected; 3 not reachable, or too few answers to decide an \
            expectation or the policy.
            """
    )

    @Argument(
        help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.",
        completion: .profiles
    )
    var profile: String?

    @OptionGroup var server: CheckedServer

    @Flag(help: "Leave out what takes longer than a few seconds, such as the length of a window.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "Only these probes, comma-separated: \(CheckCommand.probeNames).",
            valueName: "name,…"
        ),
        completion: .commaSeparated(ProbeName.allCases.map(\.rawValue))
    )
    var only: [String] = []

    @Option(
        name: .customLong("max-wait"),
        help: "How long a replaced refresh token is watched: 65s if omitted."
    )
    var maxWait: DurationArgument?

    @Flag(help: "Watch a replaced refresh token for 5 min, and wait for longer access tokens.")
    var patient = false

    @Option(
        help: ArgumentHelp(
            "Use at most this many sessions; the first is also used for one probe of refresh tokens.",
            valueName: "count"
        )
    )
    var families: Int?

    @Option(
        name: .customLong("login-command"),
        help: ArgumentHelp(
            "Log in by this command, which prints the tokens as JSON; it must contain no secret.",
            valueName: "command"
        )
    )
    var loginCommand: String?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp(
            "Use up these tokens in place of logins: a file of mode 0600, or - for stdin.",
            valueName: "file"
        ),
        completion: .file()
    )
    var importPlace: String?

    @Flag(
        name: .customLong("wrong-password"),
        help: "Also send one wrong password, for which a backend may lock the user out."
    )
    var sendsWrongPassword = false

    @Option(
        help: ArgumentHelp(
            "What must be so, comma-separated: policy=strict-revoke, window=30..60, logout=refresh.",
            valueName: "name=value,…"
        )
    )
    var expect: [String] = []

    @Option(
        help: "What must be so, as a set: \(CheckCommand.setNames).",
        completion: .commaSeparated(ExpectationSet.allCases.map(\.rawValue))
    )
    var against: [String] = []

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print JUnit XML: a test case for each probe and each expectation.")
    var junit = false

    @Flag(help: "Print SARIF: a rule for each expectation, and what does not hold.")
    var sarif = false

    @Flag(help: "Print Markdown.")
    var markdown = false

    @Flag(help: "Print the policy as an SVG image.")
    var badge = false

    @Option(
        name: .customLong("write-profile"),
        help: ArgumentHelp(
            "Write a new profile of this name, which extends the checked one by what was found.",
            valueName: "name"
        )
    )
    var writtenProfile: String?

    @Flag(help: "Also print every exchange.")
    var exchanges = false

    @Flag(
        name: .customLong("yes"),
        help: "Do not ask before a backend on another machine is checked."
    )
    var isConfirmed = false

    @OptionGroup var browser: BrowserOptions

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    private static let probeNames = ProbeName.allCases.map(\.rawValue).joined(separator: ", ")
    private static let setNames = ExpectationSet.allCases.map(\.rawValue)
        .joined(separator: ", ")

    /// The seconds between two requests: two a second, and more on this machine.
    private static let interval = 0.5
    private static let localInterval = 0.02

    /// The time for which a replaced refresh token is watched, in seconds.
    private static let usualWait = 65.0
    private static let longWait = 300.0

    func validate() throws {
        guard [json, junit, sarif, markdown, badge].filter({ $0 }).count <= 1 else {
            throw ValidationError(
                "expected one of --json, --junit, --sarif, --markdown and --badge"
            )
        }
        guard !patient || maxWait == nil else {
            throw ValidationError("expected one of --patient and --max-wait")
        }
        guard (1...1000).contains(families ?? 1) else {
            throw ValidationError("--families \(families ?? 0): expected 1 to 1000")
        }
        guard loginCommand == nil || importPlace == nil else {
            throw ValidationError("expected one of --login-command and --import")
        }
        guard !sendsWrongPassword || loginCommand == nil && importPlace == nil else {
            throw ValidationError("--wrong-password needs the login of the profile")
        }
        guard (profile == nil) != (server.mcp == nil) else {
            throw ValidationError("expected a profile, or --mcp")
        }
        guard server.mcp == nil || writtenProfile == nil else {
            throw ValidationError("--write-profile needs a profile: authtop profiles init --mcp")
        }
        guard importPlace == nil || (families ?? 1) == 1 else {
            throw ValidationError("--import brings one session: omit --families")
        }
        if let name = writtenProfile, !Profile.isName(name) {
            throw ValidationError(
                "--write-profile \(name): expected small letters, digits and hyphens"
            )
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        let requirements = try CheckRequirements(expect: expect, against: against)
        if let writtenProfile { try checkFree(writtenProfile, in: environment) }
        let named = try namedProbes()
        guard connection.vault.vault == nil else {
            throw CommandFailure(.badInput, "check keeps no session: omit --vault")
        }
        var connection = connection
        connection.vault.vault = VaultKind.memory.name
        let chosen = try await chosen(by: connection, in: environment)
        try requirements.check(for: chosen)
        try checkLogin(of: chosen)
        let isLocal = chosen.origins.areLoopback
        let names = named ?? CheckOptions.probes(of: chosen.dialect, isQuick: quick)
        let needsUser = chosen.dialect.needsBrowser
        let options = options(names, isLocal: isLocal, needsUser: needsUser)
        let plan = CheckPlan(options, of: chosen.dialect)
        let title =
            "check of \(chosen.name) at \(chosen.origin): "
            + CheckText.plan(plan, of: chosen.dialect)
        if let note = (try? environment.userConfiguration())?.notifications.objection(to: "check") {
            StandardError.write("authtop: \(note)")
        }
        if isForProgram {
            StandardError.write(title)
        } else {
            _ = StandardOutput.write(title, wrappedBelow: 2)
        }
        try Confirmation(
            question: "this may sign this user out everywhere at \(chosen.origin). Go on?",
            option: "--yes"
        )
        .obtain(isGiven: isConfirmed || isLocal)
        let asks = importPlace == nil && loginCommand == nil && plan.total.logins > 0
        let credentials =
            asks
            ? try await chosen.credentials.find(chosen.dialect.credentials)
            : try await chosen.credentials.findWithoutAsking(chosen.dialect.credentials)
        let proofs =
            chosen.dialect.bindsTokens
            ? CheckProofs(
                prover: environment.prover(signingWith: nil),
                baseURL: chosen.origins.base.description,
                time: environment.time
            ) : nil
        let login = try login(of: chosen, with: credentials, proofs, environment)
        let run = CheckRun(
            chosen: chosen,
            dialect: try await dialect(of: chosen, options, environment),
            credentials: credentials.values,
            options: options,
            login: login,
            proofs: proofs,
            environment: environment
        )
        // A command that logs in may need the terminal, and the address of a browser is printed.
        let isShown =
            !isForProgram && loginCommand == nil && login?.needsUser != true
            && StandardOutput.isTerminal && StandardInput.isTerminal
        let report = isShown ? try await shown(run) : try await run.report { _, _ in }
        try print(report, of: chosen, requirements)
    }

    var isForProgram: Bool { json || junit || sarif || markdown || badge }

    private func options(
        _ names: [ProbeName],
        isLocal: Bool,
        needsUser: Bool
    ) -> CheckOptions {
        let maxWait = patient ? Self.longWait : maxWait?.seconds ?? Self.usualWait
        var options = CheckOptions(
            probes: names,
            maxWait: maxWait,
            budget: maxWait + 23,
            interval: isLocal ? Self.localInterval : Self.interval
        )
        options.families = importPlace == nil ? families : 1
        options.sendsWrongPassword = sendsWrongPassword
        if loginCommand != nil || needsUser { options.logins = .command }
        if importPlace != nil { options.logins = .imported }
        return options
    }

    private func chosen(
        by connection: ConnectionOptions,
        in environment: LiveEnvironment
    ) async throws -> ChosenProfile {
        if let profile { return try await connection.profile(named: profile, in: environment) }
        let profile = try await server.profile(in: environment, caFile: connection.trust.caFile)
        return try await connection.chosen(profile, in: environment)
    }

    /// Fails if the client has to sign its requests, or if tokens are bound to a key that the check has
    /// not created.
    private func checkLogin(of chosen: ChosenProfile) throws {
        guard chosen.signingKey == nil else {
            throw CommandFailure(
                .badInput,
                "\(chosen.name): a check cannot sign its requests with the client's key"
            )
        }
        guard !chosen.dialect.bindsTokens || importPlace == nil && loginCommand == nil else {
            let option = importPlace == nil ? "--login-command" : "--import"
            throw CommandFailure(
                .badInput,
                "\(option): \(chosen.name) binds its tokens to a key, which a check creates itself"
            )
        }
    }

    private func login(
        of chosen: ChosenProfile,
        with credentials: FixedCredentials,
        _ proofs: CheckProofs?,
        _ environment: LiveEnvironment
    ) throws -> CheckLogin? {
        if let loginCommand {
            return .command(
                LoginCommandLine(
                    line: loginCommand,
                    dialect: chosen.dialect,
                    variables: environment.variables,
                    time: environment.time
                )
            )
        }
        if let importPlace {
            let imported = try ImportedPair(from: importPlace, for: chosen, in: environment)
            try imported.check()
            return .imported(imported.pair.tokens)
        }
        guard chosen.dialect.needsBrowser else { return nil }
        return .user(
            UserLogin(
                chosen: chosen,
                credentials: credentials,
                signIn: browser.signIn,
                proofKey: proofs?.key,
                environment: environment
            )
        )
    }

    /// Returns the profile's dialect, with the sandbox's feed if the backend is the sandbox.
    private func dialect(
        of chosen: ChosenProfile,
        _ options: CheckOptions,
        _ environment: LiveEnvironment
    ) async throws -> Dialect {
        guard options.probes.contains(.feed) else { return chosen.dialect }
        return try await withNetwork(chosen.network) { network in
            try await SandboxFeed(network: network, origin: chosen.origin)
                .added(to: chosen.dialect, time: environment.time)
        }
    }

    private func shown(_ run: CheckRun) async throws -> CheckReport {
        let title = "authtop check \(run.chosen.name) at \(run.chosen.origin)"
        switch try await CheckDisplay.show(run, title: title) {
        case .report(let report): return report
        case .stopped(let report, let left):
            write(lines(report, of: run.chosen, []))
            let sessions =
                left == 0
                ? "its own sessions were logged out"
                : "\(left) of its own sessions are left to expire"
            throw CommandFailure(
                .unreachable,
                "\(run.chosen.name): stopped before the end; \(sessions)"
            )
        }
    }

    /// Returns the probes of `--only`, or `nil` if there are none.
    private func namedProbes() throws -> [ProbeName]? {
        let names = only.flatMap { $0.parts(at: ",") }.map { String($0.trimmingBlanks) }
        guard !names.isEmpty else { return nil }
        return try names.map { name in
            guard let probe = ProbeName(rawValue: name) else {
                let names = ProbeName.allCases.map(\.rawValue)
                let near = NearestKey.of(name, among: names)
                throw CommandFailure(
                    .badInput,
                    "--only: there is no probe \"\(name.inOneLine(limit: 60))\": expected some of "
                        + names.joined(separator: ", ")
                        + (near.map { "; did you mean \($0)?" } ?? "")
                )
            }
            return probe
        }
    }
}
