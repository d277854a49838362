import Glibc
import Platform
import Synchronization
import UI

enum StandardStreams {
    /// Prepares them before anything else is opened.
    ///
    /// A stream that was closed gets a descriptor that nothing can be written to, so that no file or
    /// socket gets its number, and with it what is meant for the stream.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDONLY)
        }
        SignalCatcher.outliveReaders()
    }

    /// Breaks a line at blanks into as many rows of a terminal as it takes.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - indent: The columns by which the rows after the first are indented.
    ///   - descriptor: The stream.
    /// - Returns: The rows, or the line as it is for a program that reads the stream.
    fileprivate static func rows(
        of line: String,
        wrappedBelow indent: Int,
        on descriptor: Int32
    ) -> [String] {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return [line]
        }
        return Line(line).wrapped(to: Int(size.ws_col), indent: indent).map(\.text)
    }
}

/// Messages and errors, with invisible characters made visible.
enum StandardError {
    static func write(_ line: String) {
        _ = writeAll(STDERR_FILENO, line.visible + "\n")
    }

    /// Writes a line over as many rows of a terminal as it takes.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - indent: The columns by which the rows after the first are indented.
    static func write(_ line: String, wrappedBelow indent: Int) {
        let rows = StandardStreams.rows(of: line, wrappedBelow: indent, on: STDERR_FILENO)
        for row in rows { write(row) }
    }

    /// Drops what is written from now on, unless a user reads it on a terminal.
    static func silence() {
        guard isatty(STDERR_FILENO) == 0 else { return }
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, STDERR_FILENO)
        close(nowhere)
    }
}

/// Results, with invisible characters made visible, unless they are JSON or TOML.
///
/// A failed write is named when the program ends, which is then no success; a command need not do
/// anything about it but stop writing.
enum StandardOutput {
    /// The first failure.
    private static let failure = Mutex<WriteFailure?>(nil)

    /// - Returns: `false` if the line was not written, such as to an output that was closed.
    static func write(_ line: String) -> Bool {
        guard let new = writeAll(STDOUT_FILENO, line.visible + "\n") else { return true }
        failure.withLock { $0 = $0 ?? new }
        return false
    }

    /// Writes a line over as many rows of a terminal as it takes.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - indent: The columns by which the rows after the first are indented, or `nil` for a line
    ///     that is never broken.
    /// - Returns: `false` if the line was not written.
    static func write(_ line: String, wrappedBelow indent: Int?) -> Bool {
        guard let indent else { return write(line) }
        return StandardStreams.rows(of: line, wrappedBelow: indent, on: STDOUT_FILENO)
            .allSatisfy { write($0) }
    }

    /// Why not everything was written, or `nil` if it was, or if the reader wanted no more.
    static var problem: String? {
        failure.withLock { failure in
            guard let failure, failure != .closedByReader else { return nil }
            return "standard output: \(failure.message)"
        }
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

enum StandardInput {
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether the process belongs to a terminal, which can hang up; a service does not.
    static var hasControllingTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    /// Reads lines up to the first empty one, or to the end.
    ///
    /// - Parameter limit: The most bytes.
    /// - Returns: The lines, or `nil` if there are more bytes, or if it is no UTF-8.
    static func paragraph(limit: Int) -> String? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        func isWhole() -> Bool {
            bytes.first == 10 || zip(bytes, bytes.dropFirst()).contains { $0 == (10, 10) }
        }
        while !isWhole() {
            let count = read(STDIN_FILENO, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += part[..<count]
            guard bytes.count <= limit else { return nil }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Reopens stdin as the terminal, for a screen whose stdin was a pipe.
    static func becomeTerminal() {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        dup2(descriptor, STDIN_FILENO)
        close(descriptor)
    }
}

enum ProgramExit {
    /// Ends the program, with another code than 0 if its output could not be written.
    static func leave(_ code: Int32) -> Never {
        fflush(nil)
        guard let problem = StandardOutput.problem else { exit(code) }
        StandardError.write("authtop: \(problem)")
        exit(code == 0 ? CommandFailure.Exit.badInput.rawValue : code)
    }
}

/// Why something was not written.
struct WriteFailure: Error, Equatable {
    /// The number of the system's error.
    let code: Int32

    /// The other end of a pipe was closed, as `head` does once it has read enough.
    static let closedByReader = WriteFailure(code: EPIPE)

    /// In the system's words.
    var message: String { String(cString: strerror(code)) }
}

/// Writes all of a text at once, since `print` to a pipe would buffer it.
///
/// - Returns: Why it was not written, or not all of it; `nil` if it was.
func writeAll(_ descriptor: Int32, _ text: String) -> WriteFailure? {
    var text = text
    return text.withUTF8 { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(
                descriptor,
                UnsafeBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            if written < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&wait, 1, 1000)
                    continue
                }
                return WriteFailure(code: errno)
            }
            rest = rest.dropFirst(written)
        }
        return nil
    }
}
