import Dashboard
import Logging

/// Appends lines to a file, each through the redactor.
struct RedactedLogHandler: LogHandler {
    let file: LogFile
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = "\(event.level.rawValue.padded(to: 8)) \(event.message)"
        let parts = line.split(whereSeparator: \.isNewline).joined(separator: " ")
        file.append(Redactor.redacted(parts).visibleInOneLine)
    }
}
