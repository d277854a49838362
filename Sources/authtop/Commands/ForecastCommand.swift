import ArgumentParser
import Backend
import Dashboard
import Simulation
import Tokens

struct ForecastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forecast",
        abstract: "When a session would be renewed over the next days, and what would end it.",
        discussion: """
            The real policy against the built-in backend, on a virtual clock, beside a client that \
            renews only when a request was refused. Where the documentation leaves open what \
            becomes of the refresh token, each way is shown. Nothing is sent.
            """
    )

    @Argument(
        help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.",
        completion: .profiles
    )
    var profile: String

    @Option(help: "How far to look.")
    var days = 30.0

    @Option(name: .customLong("access-ttl"), help: "Life of an access token, if not as documented.")
    var accessLifetime: DurationArgument?

    @Option(name: .customLong("refresh-ttl"), help: "Life of a refresh token, likewise.")
    var refreshLifetime: DurationArgument?

    @Option(help: "Between two requests of the app.")
    var every = DurationArgument(seconds: 3_600)

    @Option(help: "What goes wrong on the way, comma-separated: \(FaultNames.all).")
    var faults: String?

    @Option(name: .customLong("fault-rate"), help: "How likely an exchange meets one, up to 1.")
    var faultRate = 0.1

    @Option(help: "Decides jitter and faults.")
    var seed: UInt64 = 1

    @Flag(help: "Print one JSON object; times are in seconds from the login.")
    var json = false

    func validate() throws {
        guard days > 0, days <= 3_650 else {
            throw ValidationError("--days \(days): expected more than 0 and at most 3650")
        }
        guard faultRate > 0, faultRate <= 1 else {
            throw ValidationError("--fault-rate \(faultRate): expected more than 0 and at most 1")
        }
    }

    func run() throws {
        let dialect = try LiveEnvironment().catalogue.dialect(named: profile)
        let forecast = Forecast.run(
            Forecast.Question(
                dialect: dialect,
                days: days,
                accessLifetime: accessLifetime?.seconds,
                refreshLifetime: refreshLifetime?.seconds,
                requestEvery: every.seconds,
                faults: try FaultNames.read(faults ?? ""),
                faultRate: faultRate,
                seed: seed
            ),
            causes: CauseText()
        )
        let lines = json ? [forecast.json.serialized] : forecast.lines(causes: CauseText())
        for line in lines where !StandardOutput.write(line) { return }
    }
}

/// Faults as a person names them.
enum FaultNames {
    static var all: String { Fault.all.map(\.name).joined(separator: ", ") }

    /// Comma-separated; nothing is no fault.
    static func read(_ text: String) throws -> [Fault] {
        try text.split(separator: ",").map { name in
            if let fault = Fault.all.first(where: { $0.name == name }) { return fault }
            throw CommandFailure(.badInput, "there is no fault \"\(name)\": expected any of \(all)")
        }
    }
}
