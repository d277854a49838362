import Lifecycle
import Synchronization
import Timekeeping

/// The flight lock of one record, as taken and given back by this process's holders.
///
/// A process that ends, however it ends, holds nothing.
final class FlightLocks: Sendable {
    private enum Claim {
        case waiting
        case held(FileLock)
    }

    /// The first wait, and the longest, for another process's flight.
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

    /// Looks again and again instead of blocking a thread that others need.
    ///
    /// - Parameters:
    ///   - holder: Names the holding.
    ///   - timeout: How long it looks.
    /// - Returns: False when somebody else holds it still, or `holder` gave up meanwhile.
    /// - Throws: When its file cannot be opened or made.
    func lock(holder: Int, timeout: Duration) async throws(VaultProblem) -> Bool {
        let deadline = time.now + timeout
        claims.withLock { $0[holder] = .waiting }
        var pause = Self.shortestPause
        while true {
            guard let isLocked = try take(holder) else { return false }
            if isLocked { return true }
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

    /// Gives it back, or gives up waiting for it.
    func unlock(holder: Int) {
        claims.withLock { _ = $0.removeValue(forKey: holder) }
    }

    /// `nil` when the holder gave up.
    private func take(_ holder: Int) throws(VaultProblem) -> Bool? {
        try claims.withLock { claims throws(VaultProblem) -> Bool? in
            guard claims[holder] != nil else { return nil }
            do throws(VaultProblem) {
                let folder = try PrivateFolder.make(location.folder)
                guard let lock = try FileLock.take(lockName, in: folder) else {
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
