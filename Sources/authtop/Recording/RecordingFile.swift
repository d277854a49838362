import Glibc
import Recordings

/// A recording that the command line names.
enum RecordingFile {
    /// Reads a recording.
    ///
    /// - Throws: `CommandFailure` with the line that is not one of a recording.
    static func read(_ path: String) throws -> Recording {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.badInput, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0, size <= Recording.sizeLimit, lseek(descriptor, 0, SEEK_SET) == 0,
            let bytes = FileTrust.contents(of: descriptor, limit: size)
        else {
            throw CommandFailure(
                .badInput,
                "\(path): expected a readable file of at most \(Recording.sizeLimit >> 30) GiB"
            )
        }
        do throws(RecordingProblem) {
            return try Recording(reading: bytes)
        } catch {
            throw CommandFailure(.badInput, "\(path): line \(error.line): \(error.message)")
        }
    }
}
