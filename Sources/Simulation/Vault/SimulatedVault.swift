import Client
import Model

/// One record and one flight lock, for all processes of a system.
///
/// A write takes effect at once and is durable; the process is notified later, or killed before.
struct SimulatedVault {
    struct Holder: Equatable {
        let process: Int
        let incarnation: Int
        let operation: OperationID
    }

    private(set) var record: VaultRecord?
    private(set) var holder: Holder?
    private var queue: [Holder] = []

    /// As every vault does it, in one step under the record lock.
    mutating func commit(_ commit: VaultCommit) -> CommitVerdict {
        guard commit.isAllowed(over: record) else { return .superseded(by: record) }
        record = commit.replacement(of: record)
        return .committed
    }

    /// Removes the record, as another program may.
    mutating func remove() {
        record = nil
    }

    /// - Returns: Whether the lock is acquired; if not, the candidate waits in the queue.
    mutating func lock(_ candidate: Holder) -> Bool {
        guard holder == nil else {
            queue.append(candidate)
            return false
        }
        holder = candidate
        return true
    }

    func isWaiting(_ candidate: Holder) -> Bool {
        queue.contains(candidate)
    }

    /// - Returns: The next owner of the lock, if there is one.
    mutating func unlock(_ owner: Holder) -> Holder? {
        queue.removeAll { $0 == owner }
        return holder == owner ? grantNext() : nil
    }

    /// Releases the lock of a killed process.
    mutating func release(process: Int) -> Holder? {
        queue.removeAll { $0.process == process }
        return holder?.process == process ? grantNext() : nil
    }

    private mutating func grantNext() -> Holder? {
        holder = queue.isEmpty ? nil : queue.removeFirst()
        return holder
    }
}
