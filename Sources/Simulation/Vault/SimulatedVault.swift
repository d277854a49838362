import Lifecycle

/// One record and one flight lock, for all processes of a world.
///
/// What was written is there at once and for good; a process learns of it later, or dies first.
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

    /// Somebody removed the file.
    mutating func remove() {
        record = nil
    }

    /// - Returns: Whether the lock is theirs now; else they wait in line.
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

    /// - Returns: Who has the lock now and did not have it before.
    mutating func unlock(_ leaver: Holder) -> Holder? {
        queue.removeAll { $0 == leaver }
        return holder == leaver ? passOn() : nil
    }

    /// A dead process holds nothing.
    mutating func release(process: Int) -> Holder? {
        queue.removeAll { $0.process == process }
        return holder?.process == process ? passOn() : nil
    }

    private mutating func passOn() -> Holder? {
        holder = queue.isEmpty ? nil : queue.removeFirst()
        return holder
    }
}
