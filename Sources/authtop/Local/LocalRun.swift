import ArgumentParser
import Basics
import FoundationEssentials
import Model
import Platform
import Stores
import UI

/// The sessions of this machine, printed once or shown until the user leaves.
struct LocalRun {
    enum Form {
        case table
        case json
        case template(SessionTemplate)
    }

    let definitions: [StoreDefinition]
    /// Of authtop's own sessions.
    let connection: ConnectionOptions
    /// Whether authtop's own sessions stand among them.
    let includesOwn: Bool
    let environment: LiveEnvironment

    init(
        _ definitions: [StoreDefinition],
        on connection: ConnectionOptions,
        includesOwn: Bool = true,
        in environment: LiveEnvironment
    ) {
        self.definitions = definitions
        self.includesOwn = includesOwn
        self.connection = connection
        self.environment = environment
    }

    var scanner: StoreScanner {
        StoreScanner(
            definitions,
            variables: environment.variables,
            fingerprinter: environment.fingerprinter(createsSalt: false)
        )
    }

    var text: StoreText {
        StoreText(clock: clock, home: environment.variables["HOME"])
    }

    var clock: ClockFormatter {
        ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
    }

    var titles: [String] { definitions.map(\.title) }

    /// What the user has configured, and these sessions have no use for; `nil` if there is nothing.
    var notice: String? {
        (try? environment.userConfiguration())?.notifications.objection(to: "local")
    }

    // MARK: - Printing

    /// Prints the sessions that there are now.
    ///
    /// - Throws: `ExitCode` if one has ended.
    func print(
        _ form: Form,
        isFirstOnly: Bool,
        frame: FrameSizeArgument?,
        _ appearance: AppearanceOptions
    ) async throws {
        let now = environment.time.moment.wall
        var scanner = scanner
        var sessions = LocalSessions()
        sessions.take(scanner.scan(at: now))
        let own = includesOwn ? await OwnSessions.rows(on: connection, in: environment) : []
        if let frame {
            let defaults = try environment.screenDefaults()
            var screen = LocalScreen(
                titles: titles,
                isWhole: includesOwn,
                clock: clock,
                home: environment.variables["HOME"],
                keys: defaults.keys,
                notice: notice
            )
            screen.sessions = sessions
            screen.own = own
            let grid = screen.render(columns: frame.columns, rows: frame.rows, at: now)
            let isASCII = appearance.ascii || defaults.isASCII
            _ = StandardOutput.write((isASCII ? grid.inASCII : grid).text)
            return
        }
        var horizon = Horizon(now)
        let entries = LocalSessions.ordered(
            own.compactMap(\.entry) + sessions.entries.values,
            within: &horizon
        )
        let printed = isFirstOnly ? Array(entries.prefix(1)) : entries
        switch form {
        case .table:
            printTable(printed, sessions, at: now)
            if let notice { StandardError.write("authtop: \(notice)") }
        case .json:
            let findings = sessions.findings(at: now)
            for entry in printed {
                let line = LocalJSON.object(entry, findings, sessions, at: now, text)
                guard StandardOutput.write(line.serialized) else { return }
            }
            for file in sessions.problems {
                let problem = file.problem.map(StoreText.text) ?? ""
                let message = "\(file.title): \(text.path(file.path)): \(problem)"
                StandardError.write("authtop: \(message.visibleInOneLine)")
            }
            for message in omissions(of: sessions) { StandardError.write("authtop: \(message)") }
        case .template(let template):
            for entry in printed {
                let line = template.text(of: entry.session, at: now, text)
                guard StandardOutput.write(line.visibleInOneLine) else { return }
            }
        }
        let hasEnded = entries.contains { $0.session.state(at: now) == .ended }
        if hasEnded { throw ExitCode(CommandFailure.Exit.notSo.rawValue) }
    }

    private func printTable(
        _ entries: [LocalSessions.Entry],
        _ sessions: LocalSessions,
        at now: Date
    ) {
        let rows =
            entries.map { LocalRow(.stored($0, isOwn: $0.session.store == OwnSessions.store)) }
            + sessions.problems.map { LocalRow(.problem($0)) }
        guard !rows.isEmpty else {
            _ = StandardOutput.write(
                "no session was found; looked for \(titles.joined(separator: ", "))",
                wrappedBelow: 2
            )
            for message in omissions(of: sessions) { _ = StandardOutput.write(message) }
            return
        }
        let table = LocalTable(rows, columns: nil, text: text)
        let lines = [table.heading] + rows.map { table.line($0, at: now, isSelected: false) }
        for line in lines {
            let end = line.text.unicodeScalars.reversed().drop { $0 == " " }.reversed()
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: end)
            guard StandardOutput.write(String(scalars).visibleInOneLine) else { return }
        }
        let findings = sessions.findings(at: now)
        if !findings.isEmpty { _ = StandardOutput.write("") }
        for finding in findings {
            let likely = finding.confidence == .likely ? " (likely)" : ""
            let sentence = text.text(finding, in: sessions, at: now)
            let line = "\(finding.severity.rawValue): \(sentence)\(likely)"
            _ = StandardOutput.write(line, wrappedBelow: 2)
            _ = StandardOutput.write("  → \(text.remedy(finding, in: sessions))", wrappedBelow: 4)
        }
        for message in omissions(of: sessions) { _ = StandardOutput.write(message) }
    }

    /// What was not looked at, or is not shown, because there is too much of it.
    private func omissions(of sessions: LocalSessions) -> [String] {
        let places = sessions.crowdedPlaces.map { place in
            "\(text.path(place)): too many entries, not all were looked at".visibleInOneLine
        }
        guard sessions.dropped > 0 else { return places }
        return places + ["\(CountFormatter.count(sessions.dropped, "session")) more not shown"]
    }

    // MARK: - The screen

    /// Shows the sessions until the user leaves, and runs what they choose.
    ///
    /// - Parameters:
    ///   - appearance: That of the screen.
    ///   - watch: Watches a profile, at a base URL if that is not its own.
    /// - Throws: What `watch` throws; `CommandFailure` if the terminal does not support a screen.
    @MainActor
    func show(
        _ appearance: AppearanceOptions,
        watch: (_ profile: String, _ baseURL: String?) async throws -> RunEnd?
    ) async throws {
        while true {
            let choice = try await LocalDisplay.show(self, appearance)
            if case .watch(let profile, let baseURL) = choice {
                // What was opened is closed by the key that quits.
                guard try await watch(profile, baseURL) == .quit else { return }
                continue
            }
            guard let arguments = choice.arguments else { return }
            let command = try AuthtopCommand.parseAsRoot(arguments)
            do {
                if var command = command as? any AsyncParsableCommand { try await command.run() }
            } catch let failure as CommandFailure {
                StandardError.write("authtop: \(failure.message.visibleInOneLine)")
            } catch is ExitCode {
                // What it means has been printed.
            }
            guard choice.returns, let prompt = TerminalPrompt() else { return }
            _ = prompt.ask("Return shows the sessions again: ", isSecret: false)
        }
    }
}

extension LocalScreen.Choice {
    /// The command that it is, or `nil` to leave.
    fileprivate var arguments: [String]? {
        func words(_ command: String, _ profile: String, _ baseURL: String?) -> [String] {
            [command, profile] + (baseURL.map { ["--base-url", $0] } ?? [])
        }
        switch self {
        case .quit, .watch: return nil
        case .logIn(let profile, let url): return words("login", profile, url)
        case .refresh(let profile, let url): return words("refresh", profile, url)
        case .logOut(let profile, let url): return words("logout", profile, url)
        case .proxy: return ["proxy"]
        case .demo: return ["demo"]
        }
    }

    /// Whether the sessions are shown again after it.
    fileprivate var returns: Bool {
        switch self {
        case .logIn, .refresh, .logOut: true
        case .quit, .watch, .proxy, .demo: false
        }
    }
}
