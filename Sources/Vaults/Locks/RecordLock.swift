import Glibc
import Lifecycle
import Timekeeping

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
                throw VaultProblem(message: "another process holds \(path): is one stopped?")
            }
            poll(nil, 0, pause)
            pause = min(pause * 2, 16)
        }
    }
}
