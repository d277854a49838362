import ArgumentParser
import Dashboard
import Lifecycle
import Networking
import Sessions
import Timekeeping
import Tokens
import Vaults

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Tell how the stored session stands; nothing is sent.",
        discussion: """
            What was counted is that of the last run of watch.

            Exit codes: 0 alive, 1 signed out, 2 bad input, 3 the vault cannot be read.
            """
    )

    @OptionGroup var options: ProfileOptions

    @Flag(help: "Print one JSON object instead.")
    var json = false

    func run() async throws {
        let environment = LiveEnvironment()
        let chosen = try options.storedProfile(in: environment)
        let status = SessionStatus(
            record: await chosen.record(),
            machine: SessionMachine(
                traits: SessionTraits(
                    profile: chosen.name,
                    dialect: chosen.dialect,
                    baseURL: chosen.origin.description,
                    vault: chosen.vault.place,
                    logsInAtStart: false
                ),
                fingerprinter: environment.fingerprinter(),
                random: SeededGenerator(seed: environment.randomSeed())
            ),
            at: environment.time.moment
        )
        let statistics = status.family.map { chosen.statistics.read(family: $0) } ?? [:]
        if json {
            _ = StandardOutput.write(status.json(statistics: statistics))
        } else {
            let words = StatusWords(
                status: status,
                statistics: statistics,
                clock: ClockWords(utcOffsetSeconds: environment.utcOffsetSeconds)
            )
            for line in words.lines where !StandardOutput.write(line) { return }
        }
        try settle(status)
    }

    private func settle(_ status: SessionStatus) throws {
        if case .vaultUnavailable = status.session.state {
            throw ExitCode(CommandFailure.Exit.unreachable.rawValue)
        }
        guard status.isAlive else { throw ExitCode(CommandFailure.Exit.notSo.rawValue) }
    }
}

extension ChosenProfile {
    fileprivate func record() async -> Result<VaultRecord?, VaultProblem> {
        do throws(VaultProblem) {
            return .success(try await vault.load())
        } catch {
            return .failure(error)
        }
    }
}
