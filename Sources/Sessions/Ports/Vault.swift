package import Lifecycle

/// Where a profile's record is kept, for all processes that watch it.
///
/// Reading is free. Whoever sends a refresh token holds the flight lock meanwhile; each commit is
/// made under the record lock, which the vault takes itself, for milliseconds.
package protocol Vault: Sendable {
    /// Where the pair is kept, as text that say what happens to it.
    var place: String { get }

    /// What a person has to be told before anything is kept there for the first time.
    var notice: String? { get }

    /// `nil` when there is no record: the session is signed out.
    func load() async throws(VaultProblem) -> VaultRecord?

    /// Replaces the record atomically, unless another process ended or replaced its session.
    func commit(_ commit: VaultCommit) async throws(VaultProblem) -> CommitVerdict

    /// Finds out whether a record could be written now, and changes none.
    func check() async throws(VaultProblem)

    /// Waits at most `timeout` for the flight lock of this profile.
    ///
    /// - Parameters:
    ///   - holder: Names the holding, so that it is given back by whoever took it.
    ///   - timeout: How long another process may keep it.
    /// - Returns: False when another process still holds it then.
    /// - Throws: When it cannot be had at all, whoever holds it.
    func lockFlight(holder: Int, timeout: Duration) async throws(VaultProblem) -> Bool

    /// Removes the record with everything in it, and what is kept for its sake alone: its locks,
    /// and its key where no other record needs that.
    ///
    /// - Parameter isOver: Asked under the record lock whether the record is to go; without it, it
    ///   goes whatever it is, be it damaged.
    /// - Returns: Whether there is none now.
    /// - Throws: When it cannot be removed, or has to be asked about and cannot be read.
    func erase(if isOver: (@Sendable (VaultRecord) -> Bool)?) async throws(VaultProblem) -> Bool

    /// Where the record and its key are, or `nil` if nothing outlasts the process.
    var storageLocation: StorageLocation? { get }

    /// Tells when the record may have been changed or removed by somebody else, from now on; ends
    /// at once where nobody else can.
    func changes() -> AsyncStream<Void>

    /// Gives the lock back, or gives up waiting for it; nothing when `holder` has neither.
    func unlockFlight(holder: Int) async
}

/// Where a record and what it is encrypted with are, each a path or the name of what has it.
package struct StorageLocation: Sendable, Hashable {
    package var record: String
    package var key: String

    package init(record: String, key: String) {
        self.record = record
        self.key = key
    }
}
