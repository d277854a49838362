package import Client
package import Model
import Synchronization

/// A vault that keeps the record for the life of the process.
package final class MemoryVault: Vault {
    private struct State {
        var record: VaultRecord?
        var holder: Int?
    }

    private let state = Mutex(State())

    init(record: VaultRecord? = nil) {
        state.withLock { $0.record = record }
    }

    package let place = "memory only: gone when you quit"
    package var notice: String? { nil }

    package func load() async throws(VaultProblem) -> VaultRecord? {
        state.withLock { $0.record }
    }

    package func commit(_ commit: VaultCommit) async throws(VaultProblem) -> CommitVerdict {
        state.withLock { state in
            guard commit.isAllowed(over: state.record) else {
                return .superseded(by: state.record)
            }
            state.record = commit.replacement(of: state.record)
            return .committed
        }
    }

    package func check() async throws(VaultProblem) {}

    package func erase(
        if isOver: (@Sendable (VaultRecord) -> Bool)?
    ) async throws(VaultProblem) -> Bool {
        state.withLock { state in
            if let isOver {
                guard let record = state.record, isOver(record) else { return false }
            }
            state.record = nil
            return true
        }
    }

    package var storageLocation: StorageLocation? { nil }

    package func changes() -> AsyncStream<Void> {
        AsyncStream { $0.finish() }
    }

    package func lockFlight(
        holder: Int,
        timeout: Duration,
        whenHeld: @Sendable (_ holder: LockHolder?) async -> Void
    ) async -> Bool {
        state.withLock { state in
            guard state.holder == nil else { return false }
            state.holder = holder
            return true
        }
    }

    package func unlockFlight(holder: Int) async {
        state.withLock { state in
            if state.holder == holder { state.holder = nil }
        }
    }
}
