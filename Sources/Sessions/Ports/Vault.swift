package import Lifecycle

/// Where a profile's record is kept, for all processes that watch it.
///
/// Reading is free. Whoever sends a refresh token holds the flight lock meanwhile; each commit is
/// made under the record lock, which the vault takes itself, for milliseconds.
package protocol Vault: Sendable {
    /// Where the pair is kept, in words that say what happens to it.
    var place: String { get }

    /// What a person has to be told before anything is kept there for the first time.
    var notice: String? { get }

    /// Nil when there is no record: nobody is signed in.
    func load() async throws(VaultProblem) -> VaultRecord?

    /// Replaces the record atomically, unless another process ended or replaced its session.
    func commit(_ commit: VaultCommit) async throws(VaultProblem) -> CommitVerdict

    /// Waits at most `patience` for the flight lock of this profile.
    ///
    /// - Parameters:
    ///   - holder: Names the holding, so that it is given back by whoever took it.
    ///   - patience: How long another process may keep it.
    /// - Returns: False when another process still holds it then.
    /// - Throws: When it cannot be had at all, whoever holds it.
    func lockFlight(holder: Int, patience: Duration) async throws(VaultProblem) -> Bool

    /// Removes the record with everything in it, whatever it is.
    func erase() async throws(VaultProblem)

    /// Tells when the record may have been changed or removed by somebody else, from now on; ends
    /// at once where nobody else can.
    func changes() -> AsyncStream<Void>

    /// Gives the lock back, or gives up waiting for it; nothing when `holder` has neither.
    func unlockFlight(holder: Int) async
}
