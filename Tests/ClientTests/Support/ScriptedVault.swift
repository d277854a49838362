import Client

@testable import Model

/// A vault whose failures are written in a script.
struct ScriptedVault {
    var record: VaultRecord?
    /// Why it cannot be read now.
    var readProblem: VaultProblem?
    /// Why it cannot be written now.
    var writeProblem: VaultProblem?
    /// Why nothing can be written in place of a pair that goes.
    var erasingProblem: VaultProblem?
    /// Between a question and its answer, in seconds.
    var latency = 0.0
    /// Another process holds the flight lock, and gives it up in this many seconds.
    var lockHeldElsewhere: Double?
    /// The process that holds it, if that is known.
    var lockHolder: LockHolder?
    /// Why the flight lock cannot be had at all now.
    var lockProblem: VaultProblem?

    private(set) var holder: Int?
    private(set) var commits: [VaultCommit] = []

    func load() -> Result<VaultRecord?, VaultProblem> {
        if let readProblem { return .failure(readProblem) }
        return .success(record)
    }

    mutating func commit(_ commit: VaultCommit) -> Result<CommitVerdict, VaultProblem> {
        if let writeProblem { return .failure(writeProblem) }
        guard commit.isAllowed(over: record) else { return .success(.superseded(by: record)) }
        commits.append(commit)
        if let erasingProblem, commit.record.pair == nil {
            record = nil
            return .success(.erased(erasingProblem))
        }
        record = commit.replacement(of: record)
        return .success(.committed)
    }

    mutating func lock(_ candidate: Int) -> Bool {
        guard holder == nil else { return false }
        holder = candidate
        return true
    }

    mutating func unlock(_ leaver: Int) {
        if holder == leaver { holder = nil }
    }
}
