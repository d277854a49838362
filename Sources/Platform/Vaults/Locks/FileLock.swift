import Basics
import Client
import FoundationEssentials
import Glibc
import Model

/// An advisory lock on a file, held until the object is released or the process ends.
///
/// The file may contain the id of the last holder, written when it took the lock. Only the holder deletes the file, as its last step under
/// the lock: a waiter then finds that the name refers to another file, and locks that one.
final class FileLock: Sendable {
    private let number: Int32

    private init(number: Int32) {
        self.number = number
    }

    deinit {
        // Unlocked explicitly: a child process that is being started may share the open file for a
        // moment.
        flock(number, LOCK_UN)
        close(number)
    }

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - name: The lock.
    ///   - folder: Where it is.
    ///   - isSigned: Whether others are to know since when it is held.
    /// - Returns: The lock, or `nil` while it is held, be it by this process.
    /// - Throws: If the lock file cannot be opened, created or locked.
    static func take(
        _ name: String,
        in folder: borrowing PrivateFolder,
        isSigned: Bool = false
    ) throws(VaultProblem) -> FileLock? {
        let file = try folder.openLock(name)
        guard try lock(file.number, "\(folder.path)/\(name)") else { return nil }
        // The file was replaced, so a lock on the old one excludes no other process.
        guard folder.isCurrent(name, file.number) else { return nil }
        let taken = try FileLock(own: file.number, "\(folder.path)/\(name)")
        if isSigned { taken.sign() }
        return taken
    }

    /// Takes a lock on the folder itself, for what concerns all records in it; returns `nil` while
    /// it is held.
    static func take(_ folder: borrowing PrivateFolder) throws(VaultProblem) -> FileLock? {
        let file = try folder.reopened()
        guard try lock(file.number, folder.path) else { return nil }
        return try FileLock(own: file.number, folder.path)
    }

    /// Finds out which other process holds a lock.
    ///
    /// - Parameters:
    ///   - name: The lock.
    ///   - folder: Where it is.
    ///   - wall: The time now.
    /// - Returns: The process, or `nil` if the system does not tell it: one of another machine or
    ///   container, or none by now.
    /// - Throws: If the lock file cannot be opened.
    static func holder(
        of name: String,
        in folder: borrowing PrivateFolder,
        at wall: Date
    ) throws(VaultProblem) -> LockHolder? {
        let file = try folder.openLock(name)
        var status = stat()
        guard fstat(file.number, &status) == 0,
            let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
        else { return nil }
        let holder = LockTable(table).holder(
            device: UInt64(status.st_dev),
            file: UInt64(status.st_ino)
        )
        guard let holder, holder != Int(getpid()), kill(pid_t(holder), 0) == 0 || errno == EPERM
        else { return nil }
        // Other programs that take the lock do not write down when.
        guard owner(of: file.number) == holder else { return LockHolder(process: holder) }
        let time = status.st_mtim
        let since = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        return LockHolder(process: holder, seconds: wall.timeIntervalSince1970 - since)
    }

    /// The process that a lock file names, or `nil` if it names none.
    private static func owner(of number: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(number, &bytes, bytes.count, 0)
        return count > 0 ? Int(String(decoding: bytes.prefix(count), as: UTF8.self)) : nil
    }

    /// Writes down who has the lock, and thereby since when; without that, others do not know.
    private func sign() {
        let file = open("/proc/self/fd/\(number)", O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard file >= 0 else { return }
        let text = Array(String(getpid()).utf8)
        _ = write(file, text, text.count)
        close(file)
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

/// The lock that is held for milliseconds around each read, change and rename.
enum RecordLock {
    /// The wait after which the holder is presumed to have been stopped.
    private static let timeout = Duration.seconds(5)

    /// Takes the lock; blocks the calling thread, which must not be one of the cooperative pool.
    static func take(
        _ name: String,
        in folder: borrowing PrivateFolder,
        time: any Timekeeper
    ) throws(VaultProblem) -> FileLock {
        try wait(for: "\(folder.path)/\(name)", time) { () throws(VaultProblem) in
            try FileLock.take(name, in: folder)
        }
    }

    /// Takes the lock for what concerns all records of a folder: their keys.
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
                    message: "another process holds \(path): is one of them stopped?"
                )
            }
            poll(nil, 0, pause)
            pause = min(pause * 2, 16)
        }
    }
}
