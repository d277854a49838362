import Glibc

/// A file that lines are appended to, and that nobody else can read.
final class LogFile: Sendable {
    private let descriptor: Int32

    /// Opens it, and makes it where there is none.
    ///
    /// - Throws: `CommandFailure`, with the command that makes it private.
    init(path: String) throws {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            let message = errno == ELOOP ? "a symbolic link" : String(cString: strerror(errno))
            throw CommandFailure(.badInput, "--log \(path): \(message)")
        }
        self.descriptor = descriptor
        if let message = FileTrust.objection(to: descriptor, at: path, .fromReading) {
            throw CommandFailure(.badInput, "--log \(path): \(message)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Appends it in one write, so that the lines of several programs do not mix.
    func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
