import Glibc
import Lifecycle

/// An advisory lock on a file, held until this goes away or the process ends.
///
/// The file's content means nothing, and it is never deleted: whoever deletes a lock file lets two
/// hold the lock.
final class FileLock: Sendable {
    private let number: Int32

    private init(number: Int32) {
        self.number = number
    }

    deinit {
        // Not left to `close`: a child that was being started may share the open file for a moment.
        flock(number, LOCK_UN)
        close(number)
    }

    /// Nil while somebody else holds it, be it in this process.
    static func take(_ name: String, in folder: borrowing PrivateFolder) throws(VaultProblem)
        -> FileLock?
    {
        let file = try folder.openLock(name)
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return nil }
            throw .cannot("lock", "\(folder.path)/\(name)", errno)
        }
        // Somebody put another file there after all: a lock on this one excludes nobody.
        guard folder.isCurrent(name, file.number) else { return nil }
        let own = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw .cannot("lock", "\(folder.path)/\(name)", errno) }
        return FileLock(number: own)
    }
}
