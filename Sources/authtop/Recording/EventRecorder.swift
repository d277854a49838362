import Basics
import Glibc
import Model
import Observer
import Synchronization
import UI

/// Writes the events of a run, or what it observed, to a file that only its owner can read.
final class EventRecorder: Sendable {
    private struct State {
        var lines: RecordingLines
        /// Negative once nothing more can be written.
        var descriptor: Int32
        /// The size of the file up to its last whole line, in bytes.
        var size = 0
        /// Whether the run has begun: without that, the file is removed.
        var isUsed = false
        /// Why it has ended before the run.
        var problem: String?
    }

    private let path: String
    private let state: Mutex<State>

    /// Creates the file, and writes its first line.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which must not exist yet.
    ///   - limit: The limit on its size, in bytes.
    ///   - header: The first line.
    ///   - name: The name of the path in an error, such as an option with a space.
    /// - Throws: `CommandFailure` if the file cannot be created.
    init(path: String, limit: Int, header: some Encodable, name: String = "") throws {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            let message =
                errno == EEXIST
                ? "it exists; name another file, or remove it" : String(cString: strerror(errno))
            throw CommandFailure(.badInput, "\(name)\(path): \(message)")
        }
        self.path = path
        var lines = RecordingLines(limit: limit)
        let first = lines.begin(header)
        state = Mutex(State(lines: lines, descriptor: descriptor))
        if let problem = state.withLock({ Self.write(first, to: &$0) }) {
            throw CommandFailure(.badInput, "\(name)\(path): \(problem)")
        }
    }

    deinit {
        state.withLock { state in
            if state.descriptor >= 0 { close(state.descriptor) }
            if !state.isUsed { unlink(path) }
        }
    }

    /// Writes an event.
    ///
    /// - Returns: Why the recording stops with this event, or `nil` if it does not.
    func record(_ event: SessionEvent) -> String? {
        write { $0.add(event, causes: CauseText()) }
    }

    /// Writes what was observed.
    ///
    /// - Returns: Why the recording stops with it, or `nil` if it does not.
    func record(_ input: ObservationInput, at moment: Moment) -> String? {
        write { $0.add(input, at: moment) }
    }

    private func write(_ line: (inout RecordingLines) -> String?) -> String? {
        state.withLock { state in
            guard state.descriptor >= 0 else { return nil }
            state.isUsed = true
            let wasFull = state.lines.isFull
            guard let line = line(&state.lines) else { return nil }
            if let problem = Self.write(line, to: &state) {
                state.problem = "recording stopped: \(path): \(problem)"
                return state.problem
            }
            return state.lines.isFull && !wasFull
                ? "recording stopped: \(path) has reached the size of --record-limit" : nil
        }
    }

    /// Writes the last line.
    ///
    /// - Throws: `CommandFailure` if not everything could be written; the file ends with the last whole
    ///   line.
    func finish(at moment: Moment) throws(CommandFailure) {
        let problem = state.withLock { state in
            state.isUsed = true
            if let line = state.lines.finish(at: moment, .ended),
                let problem = Self.write(line, to: &state)
            {
                state.problem = "recording stopped: \(path): \(problem)"
            }
            return state.problem
        }
        if let problem { throw CommandFailure(.badInput, problem) }
    }

    /// - Returns: The system's message, or `nil` if everything was written.
    private static func write(_ line: String, to state: inout State) -> String? {
        guard state.descriptor >= 0 else { return nil }
        guard let failure = writeAll(state.descriptor, line) else {
            state.size += line.utf8.count
            return nil
        }
        // Half a line would be the end of a recording that cannot be read.
        _ = ftruncate(state.descriptor, off_t(state.size))
        close(state.descriptor)
        state.descriptor = -1
        return failure.message
    }
}
