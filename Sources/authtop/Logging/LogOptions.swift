import ArgumentParser
import Logging
import Vaults

/// Where what happens is written down besides.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append what happens to a file of mode 0600, without a token.",
            valueName: "file"
        ),
        completion: .file()
    )
    var log: String?

    @Option(name: .customLong("log-level"), help: "The least that is written there.")
    var level = LogLevel.info

    /// The same, and it is known from then on to be a log of the profile.
    func eventLog(of chosen: ChosenProfile) throws -> EventLog? {
        let eventLog = try eventLog()
        if let log, !(chosen.vault is MemoryVault) {
            let isWhole = log.hasPrefix("/")
            chosen.localData.logs.note(isWhole ? log : "\(LiveEnvironment.workingFolder)/\(log)")
        }
        return eventLog
    }

    /// `nil` where none is wanted.
    ///
    /// - Throws: `CommandFailure` for a file that is not this user's alone.
    func eventLog() throws -> EventLog? {
        guard let log else { return nil }
        let file = try LogFile(path: log)
        return EventLog(
            logger: Logger(label: "authtop") { [level = level.level] _ in
                RedactedLogHandler(file: file, logLevel: level)
            }
        )
    }
}

/// What swift-log calls its levels.
enum LogLevel: String, ExpressibleByArgument, CaseIterable, Sendable {
    case trace
    case debug
    case info
    case notice
    case warning
    case error
    case critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
