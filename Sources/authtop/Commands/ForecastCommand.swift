import ArgumentParser
import Basics
import Model
import Profiles
import Simulation
import UI

struct ForecastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forecast",
        abstract: "Predict when a session is renewed over the next days, and what ends it.",
        discussion: """
            Runs the actual policy against the built-in backend on a virtual clock, next to a client \
            that renews only after a request was rejected. If the documentation does not say what \
            happens to the refresh token, each possibility is shown. The lifetimes are those of the \
            stored session if there is one, or else the documented ones. Nothing is sent.
            """
    )

    @Argument(
        help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.",
        completion: .profiles
    )
    var profile: String

    @Option(help: "The number of days to predict.")
    var days = 30.0

    @Option(
        name: .customLong("access-ttl"),
        help: "The access token's lifetime, if not as stored or documented."
    )
    var accessLifetime: DurationArgument?

    @Option(
        name: .customLong("refresh-ttl"),
        help: "The refresh token's lifetime, if not as stored or documented."
    )
    var refreshLifetime: DurationArgument?

    @Option(help: "The interval of the app's requests.")
    var every = DurationArgument(seconds: 3_600)

    @Option(
        help: "The faults that may occur, comma-separated: \(ForecastCommand.faultNames).",
        completion: .commaSeparated(Fault.ofExchanges.map(\.name))
    )
    var faults: String?

    @Option(name: .customLong("fault-rate"), help: "The probability of a fault, per exchange.")
    var faultRate = 0.1

    @Option(help: "Determines jitter and faults.")
    var seed: UInt64 = 1

    @Flag(help: "Print one JSON object; times are in seconds from the login.")
    var json = false

    @OptionGroup(title: "The stored session") var connection: ConnectionOptions

    func validate() throws {
        guard days > 0, days <= 3_650 else {
            throw ValidationError("--days \(days): expected more than 0 and at most 3650")
        }
        guard faultRate > 0, faultRate <= 1 else {
            throw ValidationError("--fault-rate \(faultRate): expected more than 0 and at most 1")
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        let profile = try await environment.profile(named: profile, caFile: connection.trust.caFile)
        let stored = try await storedLifetimes(of: profile, in: environment)
        let forecast = Forecast.run(
            Forecast.Question(
                profile: profile.name,
                dialect: profile.dialect,
                days: days,
                storedLifetimes: stored,
                accessLifetime: accessLifetime?.seconds,
                refreshLifetime: refreshLifetime?.seconds,
                requestEvery: every.seconds,
                faults: try chosenFaults,
                faultRate: faultRate,
                seed: seed
            ),
            causes: CauseText()
        )
        let lines = json ? [forecast.json.serialized] : forecast.lines(causes: CauseText())
        for line in lines where !StandardOutput.write(line) { return }
    }

    /// Returns the lifetimes that the tokens of the stored session have stated; none without one.
    private func storedLifetimes(
        of profile: Profile,
        in environment: LiveEnvironment
    ) async throws -> [TokenKind: Double] {
        guard connection.baseURL ?? profile.baseURL != nil else { return [:] }
        let chosen = try await connection.chosen(profile, in: environment)
        guard let pair = await chosen.status(in: environment).session.current?.pair else {
            return [:]
        }
        let deadlines = [TokenKind.access: pair.accessExpiry, .refresh: pair.refreshExpiry]
        return deadlines.compactMapValues { deadline in
            guard let deadline, !deadline.expiry.isAssumed, deadline.statedLifetime > 0 else {
                return nil
            }
            return deadline.statedLifetime.rounded()
        }
    }

    private static var faultNames: String {
        Fault.ofExchanges.map(\.name).joined(separator: ", ")
    }

    /// The faults, with their numbers; none without the option.
    private var chosenFaults: [Fault] {
        get throws {
            try (faults ?? "").parts(at: ",").map { text -> Fault in
                let setting: FaultSetting
                do throws(FaultSettingError) {
                    setting = try FaultSetting(parsing: text, at: .backend)
                } catch {
                    throw CommandFailure(.badInput, "--faults: \(error)")
                }
                guard setting == FaultSetting(setting.fault, .always),
                    Fault.ofExchanges.contains(where: { $0.name == setting.fault.name })
                else {
                    let name = String(text).inOneLine(limit: 60)
                    throw CommandFailure(
                        .badInput,
                        "--faults \(name): expected any of \(Self.faultNames), and its number"
                    )
                }
                return setting.fault
            }
        }
    }
}
