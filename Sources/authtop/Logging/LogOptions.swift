import ArgumentParser
import Basics
import Logging
import Platform

/// The options for a log file.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append all events to a file of mode 0600, without tokens.",
            valueName: "file"
        ),
        completion: .file()
    )
    var log: String?

    @Option(
        name: .customLong("log-level"),
        help: "The minimum level that is logged (default: info)."
    )
    var level: LogLevel?

    func validate() throws {
        guard level == nil || log != nil else {
            throw ValidationError("--log-level is for a log: name its file with --log")
        }
    }

    /// Returns the log, and registers its file as a log of the profile.
    func eventLog(of chosen: ChosenProfile) throws -> EventLog? {
        let eventLog = try eventLog()
        if let log, !(chosen.vault is MemoryVault) {
            let isWhole = log.begins(with: "/")
            chosen.localData.logs.record(isWhole ? log : "\(LiveEnvironment.workingFolder)/\(log)")
        }
        return eventLog
    }

    /// Returns the log, or `nil` if there is none.
    ///
    /// - Throws: `CommandFailure` if the file does not belong to this user alone.
    func eventLog() throws -> EventLog? {
        guard let log else { return nil }
        let file = try LogFile(path: log)
        return EventLog(
            logger: Logger(label: "authtop") { [level = (level ?? .info).level] _ in
                RedactedLogHandler(file: file, logLevel: level)
            },
            file: file
        )
    }
}

/// The levels of swift-log.
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
