import Basics
import Client
import Model
import Profiles
import Simulation

/// 1 and 2: what was sent with which refresh token, and its result, over all processes.
struct SpendLedger {
    enum SendOutcome {
        case notSent
        case transient
        case clientFault
        case unknown
        case bareRefusal
        case refused
        case issued
    }

    struct Entry {
        /// The processes that wait for an answer.
        var flying: [Int] = []
        var last: SendOutcome?
        /// The number of sends that may have been processed and whose responses were lost.
        var unknown = 0
        var firstLossAt: Instant?
    }

    /// A token that only one process knows until it is in the vault.
    private struct UncommittedToken {
        var token: RefreshToken
        var isAtRisk = false
    }

    private var entries: [RefreshToken: Entry] = [:]
    private var operations = PerProcess<[OperationID: RefreshToken]>()
    private var uncommitted: [Int: UncommittedToken] = [:]
    private(set) var checked = 0

    func entry(_ token: RefreshToken) -> Entry? { entries[token] }

    func token(of operation: OperationID, _ process: Int) -> RefreshToken? {
        operations[process]?[operation]
    }

    mutating func sends(
        _ token: RefreshToken,
        _ operation: OperationID,
        by process: Int,
        now: Instant
    ) -> InvariantViolation.Finding? {
        checked += 1
        let entry = entries[token] ?? Entry()
        guard entry.flying.isEmpty else {
            return InvariantViolation.Finding(
                .singleSpend,
                "a refresh token leaves while it is on its way for process \(entry.flying)"
            )
        }
        switch entry.last {
        case .issued? where !isRefusalUnrecorded(of: token, besides: process):
            return InvariantViolation.Finding(
                .noNeedlessRespend,
                "a spent refresh token is sent"
            )
        case .refused? where !isRefusalUnrecorded(of: token, besides: process):
            return InvariantViolation.Finding(
                .noNeedlessRespend,
                "a refused refresh token is sent again"
            )
        case .issued?, .refused?, nil, .notSent?, .transient?, .clientFault?, .unknown?,
            .bareRefusal?:
            break
        }
        entries[token, default: Entry()].flying.append(process)
        operations[process, default: [:]][operation] = token
        return nil
    }

    /// Whether the refusal is known only to another process, which could not store it.
    private func isRefusalUnrecorded(of token: RefreshToken, besides process: Int) -> Bool {
        uncommitted.contains { $0.key != process && $0.value.token == token && $0.value.isAtRisk }
    }

    mutating func settled(
        _ operation: OperationID,
        of process: Int,
        _ outcome: Outcome<RefreshResponse>,
        now: Instant
    ) {
        guard let token = operations[process]?.removeValue(forKey: operation) else { return }
        var entry = entries[token] ?? Entry()
        entry.flying.removeAll { $0 == process }
        switch outcome {
        case .notSent: entry.last = .notSent
        case .unanswered, .answered(.failed(.undecodable)): entry.lose(now)
        case .answered(.issued(let issued)):
            entry.unknown = 0
            entry.firstLossAt = nil
            // The token stays in use if the response has no other.
            entry.last = (issued.refresh ?? token) == token ? nil : .issued
            uncommitted[process] = UncommittedToken(token: token)
        case .answered(.refreshTokenOnly):
            entry.unknown = 0
            entry.firstLossAt = nil
            entry.last = .issued
            uncommitted[process] = UncommittedToken(token: token)
        case .answered(.refused(let refusal)):
            entry.last = refusal.isBare ? .bareRefusal : .refused
            if !refusal.isBare { uncommitted[process] = UncommittedToken(token: token) }
        case .answered(.failed(.transient(let status, _, _))):
            if status >= 500 { entry.lose(now) } else { entry.last = .transient }
        case .answered(.failed(.clientFault)), .answered(.failed(.clientForgotten)),
            .answered(.failed(.forbidden)):
            entry.last = .clientFault
        }
        entries[token] = entry
    }

    /// Marks what a killed process knew and had not stored as lost.
    mutating func died(_ process: Int, now: Instant) {
        for token in (operations.take(process) ?? [:]).values {
            entries[token]?.flying.removeAll { $0 == process }
            entries[token]?.lose(now)
        }
        if let lost = uncommitted.removeValue(forKey: process) { entries[lost.token]?.lose(now) }
    }

    mutating func couldNotWrite(_ process: Int) {
        uncommitted[process]?.isAtRisk = true
    }

    /// Records that all processes can read what is in the vault.
    mutating func wrote(_ write: VaultWrite) {
        guard let token = write.old?.pair?.tokens.refresh,
            !write.staysInFamily || write.new.pair?.tokens.refresh != token
                || write.new.pair?.generation != write.old?.pair?.generation
        else { return }
        for (process, known) in uncommitted where known.token == token {
            uncommitted[process] = nil
        }
    }
}

extension SpendLedger.Entry {
    mutating func lose(_ now: Instant) {
        last = .unknown
        unknown += 1
        if firstLossAt == nil { firstLossAt = now }
    }
}
