import Basics
import Client
import Model
import Synchronization

/// The flight lock of one record, as acquired and released by the holders in this process.
///
/// It is released when the process ends, however that happens.
final class FlightLocks: Sendable {
    private enum Claim {
        case waiting
        case held(FileLock)
    }

    /// The first and the longest pause between attempts to take a lock that another process holds.
    private static let shortestPause = Duration.milliseconds(2)
    private static let longestPause = Duration.milliseconds(50)

    private let location: VaultLocation
    private let time: any Timekeeper
    private let claims = Mutex<[Int: Claim]>([:])

    init(location: VaultLocation, time: any Timekeeper) {
        self.location = location
        self.time = time
    }

    var lockName: String { "\(location.stem).flight" }

    /// Acquires the lock, polling it instead of blocking a thread.
    ///
    /// - Parameters:
    ///   - holder: Identifies the holder.
    ///   - timeout: The time to poll.
    ///   - whenHeld: Called once, before the first pause, with the process that holds the lock if that is
    ///     known.
    /// - Returns: `false` if the lock is still held, or if `holder` gave up in the meantime.
    /// - Throws: If the lock file cannot be opened or created.
    func lock(
        holder: Int,
        timeout: Duration,
        whenHeld: @Sendable (_ holder: LockHolder?) async -> Void
    ) async throws(VaultProblem) -> Bool {
        let deadline = time.now + timeout
        claims.withLock { $0[holder] = .waiting }
        var pause = Self.shortestPause
        var isFirst = true
        while true {
            guard let isLocked = try take(holder) else { return false }
            if isLocked { return true }
            if isFirst { await whenHeld(process) }
            isFirst = false
            let now = time.now
            guard now < deadline,
                (try? await time.sleep(until: min(deadline, now + pause))) != nil
            else {
                unlock(holder: holder)
                return false
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Releases the lock, or stops waiting for it.
    func unlock(holder: Int) {
        claims.withLock { _ = $0.removeValue(forKey: holder) }
    }

    /// The process that holds the lock, or `nil` if that is not known.
    private var process: LockHolder? {
        do throws(VaultProblem) {
            let folder = try PrivateFolder.make(location.folder)
            return try FileLock.holder(of: lockName, in: folder, at: time.moment.wall)
        } catch {
            return nil
        }
    }

    /// Tries to take the lock; returns `nil` if the holder gave up.
    private func take(_ holder: Int) throws(VaultProblem) -> Bool? {
        try claims.withLock { claims throws(VaultProblem) -> Bool? in
            guard claims[holder] != nil else { return nil }
            do throws(VaultProblem) {
                let folder = try PrivateFolder.make(location.folder)
                guard let lock = try FileLock.take(lockName, in: folder, isSigned: true) else {
                    return false
                }
                claims[holder] = .held(lock)
                return true
            } catch {
                claims[holder] = nil
                throw error
            }
        }
    }
}
