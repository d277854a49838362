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

    private let site: VaultSite
    private let time: any Timekeeper
    private let claims = Mutex<[Int: Claim]>([:])

    init(site: VaultSite, time: any Timekeeper) {
        self.site = site
        self.time = time
    }

    /// Looks again and again instead of blocking a thread that others need.
    ///
    /// - Returns: False when somebody else holds it still, or when it cannot be had at all: then
    ///   the record cannot be written either, and that says why.
    func lock(holder: Int, patience: Duration) async -> Bool {
        let deadline = time.now + patience
        claims.withLock { $0[holder] = .waiting }
        var pause = Self.shortestPause
        while true {
            guard let isLocked = take(holder) else { return false }
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

    /// Nil when there is nothing to wait for any more.
    private func take(_ holder: Int) -> Bool? {
        claims.withLock { claims in
            guard claims[holder] != nil else { return nil }
            do {
                let folder = try PrivateFolder.make(site.folder)
                guard let lock = try FileLock.take("\(site.stem).flight", in: folder) else {
                    return false
                }
                claims[holder] = .held(lock)
                return true
            } catch {
                claims[holder] = nil
                return nil
            }
        }
    }
}
