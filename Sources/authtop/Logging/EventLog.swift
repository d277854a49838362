import Basics
import Glibc
import Logging
import Model
import Synchronization
import UI

/// Writes events as the lines that `--json` prints, each with a level.
struct EventLog: Sendable {
    let logger: Logger
    /// Where the lines go, if that is a file.
    var file: LogFile?

    /// Returns why lines are missing, once.
    func takeProblem() -> String? { file?.takeProblem() }

    /// Goes on in a new file of the same path, after a program has moved the old one away.
    ///
    /// - Returns: Why it goes on in the old one, or `nil`.
    func reopen() -> String? { file?.reopen() }

    /// - Throws: `CommandFailure` if lines are missing.
    func finish() throws(CommandFailure) {
        if let problem = file?.problem { throw CommandFailure(.badInput, problem) }
    }

    func record(_ event: SessionEvent) {
        let level = Logger.Level(event.kind.level)
        guard logger.logLevel <= level else { return }
        logger.log(level: level, "\(EventLine.text(of: event, causes: CauseText()))")
    }

    /// Logs a message that is not an event of a session.
    func record(_ message: String) {
        logger.info("\(message)")
    }
}

extension Logger.Level {
    fileprivate init(_ level: EventLevel) {
        switch level {
        case .trace: self = .trace
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}

/// A file to which lines are appended, and that only its owner can read.
final class LogFile: Sendable {
    private struct State {
        var descriptor: Int32
        var problem: String?
        var isReported = false
        /// Whether the last line is half a line.
        var isCutOff = false
    }

    private let path: String
    private let state: Mutex<State>

    /// Opens the file, and creates it if it is missing.
    ///
    /// - Throws: `CommandFailure`, with the command that makes the file private.
    init(path: String) throws(CommandFailure) {
        self.path = path
        state = Mutex(State(descriptor: try Self.opened(path)))
    }

    private static func opened(_ path: String) throws(CommandFailure) -> Int32 {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            let message = errno == ELOOP ? "a symbolic link" : String(cString: strerror(errno))
            throw CommandFailure(.badInput, "--log \(path): \(message)")
        }
        if let message = FileTrust.objection(to: descriptor, at: path, .fromReading) {
            close(descriptor)
            throw CommandFailure(.badInput, "--log \(path): \(message)")
        }
        return descriptor
    }

    deinit {
        state.withLock { _ = close($0.descriptor) }
    }

    /// Opens the file of this path again.
    ///
    /// - Returns: Why it could not be opened, or `nil`; then lines go where they went before.
    func reopen() -> String? {
        do throws(CommandFailure) {
            let descriptor = try Self.opened(path)
            state.withLock { state in
                close(state.descriptor)
                state.descriptor = descriptor
                state.isCutOff = false
            }
            return nil
        } catch {
            return "the log goes on in the old file: \(error.message)"
        }
    }

    /// Why lines are missing, or `nil` if none is.
    var problem: String? { state.withLock { $0.problem } }

    /// Returns why lines are missing, once.
    func takeProblem() -> String? {
        state.withLock { state in
            guard !state.isReported, let problem = state.problem else { return nil }
            state.isReported = true
            return problem
        }
    }

    /// Appends the line with one write, so that the lines of several processes do not mix.
    func append(_ line: String) {
        state.withLock { state in
            let failure = writeAll(state.descriptor, (state.isCutOff ? "\n" : "") + line + "\n")
            state.isCutOff = failure != nil
            guard let failure, state.problem == nil else { return }
            state.problem = "the log is not complete: --log \(path): \(failure.message)"
        }
    }
}

/// Appends lines to a file, after removing secrets from them.
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
        let parts = line.lines.joined(separator: " ")
        file.append(Redactor.redacted(parts).visibleInOneLine)
    }
}

/// Removes probable secrets from a line.
///
/// The last of several safeguards: messages are written without tokens in the first place.
enum Redactor {
    static let mark = "‹redacted›"

    /// Returns the line without probable secrets, so that the file may be shared.
    static func redacted(_ line: String) -> String {
        // Fingerprints have 8 characters and are not matched.
        let webToken = /[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*/
        let credential = /(?i)((?:bearer|basic)[ +]+)[A-Za-z0-9._~+\/=\-]{9,}/
        let named =
            /(?i)((?:token|secret|password|passwd|jwt|code|cookie|authorization|key)["']?[ ]*[=:][ ]*["']?)[^\s"'&;,<>‹›{}\[\]]{9,}/
        return
            line.replacing(webToken.matchingSemantics(.unicodeScalar), with: mark)
            .replacing(credential.matchingSemantics(.unicodeScalar)) { match in
                "\(match.output.1)\(mark)"
            }
            .replacing(named.matchingSemantics(.unicodeScalar)) { match in
                "\(match.output.1)\(mark)"
            }
    }
}
