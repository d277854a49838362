import Glibc
import Lifecycle
import Timekeeping

/// An advisory lock on a file, held until this goes away or the process ends.
///
/// The file's content means nothing. It is deleted only by its holder, as the last thing done under
/// it: whoever waited for it finds that the name means another file, and takes that.
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

    /// `nil` while somebody else holds it, be it in this process.
    static func take(_ name: String, in folder: borrowing PrivateFolder) throws(VaultProblem)
        -> FileLock?
    {
        let file = try folder.openLock(name)
        guard try lock(file.number, "\(folder.path)/\(name)") else { return nil }
        // Another file is there by now: a lock on this one excludes nobody.
        guard folder.isCurrent(name, file.number) else { return nil }
        return try FileLock(own: file.number, "\(folder.path)/\(name)")
    }

    /// A lock on the folder itself, for what concerns all records in it; `nil` likewise.
    static func take(_ folder: borrowing PrivateFolder) throws(VaultProblem) -> FileLock? {
        let file = try folder.reopened()
        guard try lock(file.number, folder.path) else { return nil }
        return try FileLock(own: file.number, folder.path)
    }

    private static func lock(_ number: Int32, _ path: String) throws(VaultProblem) -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            throw .cannot("lock", path, errno)
        }
        return true
    }

    private convenience init(own number: Int32, _ path: String) throws(VaultProblem) {
        let own = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw .cannot("lock", path, errno) }
        self.init(number: own)
    }
}

/// Held for milliseconds around each read, change and rename.
enum RecordLock {
    /// Whoever holds it longer has been stopped.
    private static let timeout = Duration.seconds(5)

    /// Waits on this thread, which must not be one of the cooperative pool.
    static func take(
        _ name: String,
        in folder: borrowing PrivateFolder,
        time: any Timekeeper
    ) throws(VaultProblem) -> FileLock {
        try wait(for: "\(folder.path)/\(name)", time) { () throws(VaultProblem) in
            try FileLock.take(name, in: folder)
        }
    }

    /// For what concerns all records of a folder: their keys.
    static func take(
        all folder: borrowing PrivateFolder,
        time: any Timekeeper
    ) throws(VaultProblem) -> FileLock {
        try wait(for: folder.path, time) { () throws(VaultProblem) in
            try FileLock.take(folder)
        }
    }

    private static func wait(
        for path: String,
        _ time: any Timekeeper,
        take: () throws(VaultProblem) -> FileLock?
    ) throws(VaultProblem) -> FileLock {
        let deadline = time.now + timeout
        var pause: Int32 = 1
        while true {
            if let lock = try take() { return lock }
            guard time.now < deadline else {
                throw VaultProblem(
                    .inUse,
                    message: "another process holds \(path): is one stopped?"
                )
            }
            poll(nil, 0, pause)
            pause = min(pause * 2, 16)
        }
    }
}
