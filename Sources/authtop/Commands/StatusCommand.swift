import ArgumentParser
import Basics
import Client
import Model
import Observer
import Platform
import UI

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the stored session, and where its data is.",
        usage: "authtop status [<options>] <profile>",
        discussion: """
            Nothing is sent except a pending logout.

            The statistics are those of the last run of watch.

            --format takes the fields of authtop local: \(SessionTemplate.fieldNames).

            Exit codes: 0 alive, 1 signed out, 2 bad input, 3 the vault cannot be read.
            """
    )

    @OptionGroup var options: ProfileOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(help: ArgumentHelp("Print the session in this form.", valueName: "text"))
    var format: String?

    func validate() throws {
        guard !json || format == nil else {
            throw ValidationError("--json and --format exclude each other.")
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        let template = try format.map(SessionTemplate.init)
        let chosen = try await options.storedProfile(in: environment)
        try await sendOwedRevocations(of: chosen, in: environment)
        let status = await chosen.status(in: environment)
        let clock = ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
        if let template {
            let words = StoreText(clock: clock, home: environment.variables["HOME"])
            let session = OwnSessions.session(chosen, status)
            let line = template.text(of: session, at: status.moment.wall, words)
            _ = StandardOutput.write(line.visibleInOneLine)
            return try settle(status)
        }
        let statistics = status.family.map { chosen.statistics.read(family: $0) } ?? [:]
        let places = StorageSummary(chosen.localData)
        if json {
            let members = statistics.merging(places.json) { $1 }
            _ = StandardOutput.write(status.json(adding: members, causes: CauseText()))
        } else {
            let message = StatusText(
                status: status,
                statistics: statistics,
                places: places,
                clock: clock
            )
            for line in message.lines where !StandardOutput.write(line) { break }
        }
        try settle(status)
    }

    private func sendOwedRevocations(
        of chosen: ChosenProfile,
        in environment: LiveEnvironment
    ) async throws {
        guard case .success(let record?) = await chosen.vault.record(), !record.outbox.isEmpty
        else { return }
        _ = try await chosen.revokeAtBackend(endingSession: false, in: environment)
    }

    private func settle(_ status: SessionStatus) throws {
        if case .vaultUnavailable = status.session.state {
            throw ExitCode(CommandFailure.Exit.unreachable.rawValue)
        }
        guard status.isAlive else { throw ExitCode(CommandFailure.Exit.notSo.rawValue) }
    }
}
