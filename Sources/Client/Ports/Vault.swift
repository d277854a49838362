package import Model

/// The storage of a profile's record, which all processes that watch the profile share.
///
/// Reading needs no lock. A process holds the flight lock while it sends a refresh token. Each
/// commit takes the record lock for some milliseconds; the vault does so itself.
package protocol Vault: Sendable {
    /// A description of where the pair is kept and what happens to it.
    var place: String { get }

    /// The notice that the user must see before anything is stored for the first time, or `nil` if
    /// there is none.
    var notice: String? { get }

    /// Returns the record, or `nil` if there is none because the session is signed out.
    func load() async throws(VaultProblem) -> VaultRecord?

    /// Replaces the record atomically, unless another process has ended or replaced its session.
    func commit(_ commit: VaultCommit) async throws(VaultProblem) -> CommitVerdict

    /// Checks whether a record could be written now, without changing any.
    func check() async throws(VaultProblem)

    /// Waits at most `timeout` for the flight lock of this profile.
    ///
    /// - Parameters:
    ///   - holder: Identifies the holder, so that only it releases the lock.
    ///   - timeout: The time to wait while another process holds the lock.
    ///   - whenHeld: Called once, before waiting, if another process holds the lock, with that
    ///     process if it is known.
    /// - Returns: Whether the lock was acquired; `false` if another process still holds it.
    /// - Throws: If the lock cannot be acquired at all, whether or not another process holds it.
    func lockFlight(
        holder: Int,
        timeout: Duration,
        whenHeld: @Sendable (_ holder: LockHolder?) async -> Void
    ) async throws(VaultProblem) -> Bool

    /// Removes the record, and what is kept only for it: its locks, and its key unless another
    /// record needs that.
    ///
    /// - Parameter isOver: Called under the record lock to decide whether to remove the record; if
    ///   `nil`, it is removed in any case, even if it is damaged.
    /// - Returns: Whether there is no record now.
    /// - Throws: If the record cannot be removed, or if `isOver` must be called and the record
    ///   cannot be read.
    func erase(if isOver: (@Sendable (VaultRecord) -> Bool)?) async throws(VaultProblem) -> Bool

    /// The locations of the record and its key, or `nil` if nothing outlives the process.
    var storageLocation: StorageLocation? { get }

    /// Returns a stream that yields whenever another process may have changed or removed the
    /// record, from now on; it ends at once if no other process can.
    func changes() -> AsyncStream<Void>

    /// Releases the lock, or stops waiting for it; does nothing if `holder` does neither.
    func unlockFlight(holder: Int) async
}

/// The locations of a record and of its encryption key, each a path or the name of the store.
package struct StorageLocation: Sendable, Hashable {
    package var record: String
    package var key: String

    package init(record: String, key: String) {
        self.record = record
        self.key = key
    }
}
