import Basics
import Client
import Model
import Profiles
import Simulation

/// 9 and 10: a session ends for a reason, and when there is one it ends.
struct EndingCheck {
    private struct Memory {
        /// Refused, definitively, and not yet acted upon.
        var pending: RefreshToken?
        var refused: RefreshToken?
        var bare: (token: RefreshToken, at: Instant)?
        var hasRequestedLogout = false
        /// The reason for which the session is ending.
        var reason: SignedOutReason?
    }

    private let scenario: Scenario
    private var memories = PerProcess<Memory>()
    private(set) var endings = 0
    private(set) var refusals = 0
    private(set) var names = 0

    init(scenario: Scenario) {
        self.scenario = scenario
    }

    mutating func died(_ process: Int) {
        memories[process] = nil
    }

    mutating func handled(_ step: Step, _ ledger: SpendLedger) -> InvariantViolation.Finding? {
        var memory = memories.take(step.process) ?? Memory()
        defer { memories[step.process] = memory }
        register(step, ledger, &memory)
        if let finding = pendingIsActedUpon(step, &memory) { return finding }
        if case .tick = step.input, case .draining = step.after.state,
            let usableUntil = step.after.schedule?.usableUntil,
            usableUntil < step.now
        {
            return InvariantViolation.Finding(
                .terminalAlwaysEnds,
                "a draining session outlives its token"
            )
        }
        guard step.before.state != step.after.state else { return nil }
        switch step.after.state {
        case .draining(let reason), .signedOut(let reason):
            endings += 1
            guard !isJustified(reason, step, memory) else {
                memory.reason = reason
                return isWellNamed(reason, step, memory, ledger)
            }
            return InvariantViolation.Finding(
                .transientNeverSignsOut,
                "signed out as \(reason.rawValue) without a cause"
            )
        case .fresh: memory = Memory()
        case .cold, .vaultUnavailable, .signingIn, .renewing, .retrying, .blocked, .expired,
            .unknown, .signingOut:
            break
        }
        return nil
    }

    private func register(_ step: Step, _ ledger: SpendLedger, _ memory: inout Memory) {
        switch step.input {
        case .logOut: memory.hasRequestedLogout = true
        case .refreshEnded(let id, let exchange):
            guard case .answered(.refused(let refusal)) = exchange.outcome,
                let token = ledger.token(of: id, step.process),
                token == step.before.held?.tokens.refresh
            else { return }
            if refusal.isBare {
                if let first = memory.bare, first.token == token {
                    guard step.now.seconds(since: first.at) >= 5 else { return }
                    memory.refused = token
                } else {
                    memory.bare = (token, step.now)
                }
            } else {
                memory.refused = token
                memory.pending = token
            }
        default: break
        }
    }

    /// After a refusal, the vault is read once more, and then the session has ended or another
    /// process has renewed.
    private mutating func pendingIsActedUpon(
        _ step: Step,
        _ memory: inout Memory
    ) -> InvariantViolation.Finding? {
        guard let token = memory.pending, case .recordLoaded = step.input else { return nil }
        memory.pending = nil
        refusals += 1
        switch step.after.state {
        case .draining, .signedOut, .signingOut, .signingIn: return nil
        default: break
        }
        guard step.after.held?.tokens.refresh == token else { return nil }
        return InvariantViolation.Finding(.terminalAlwaysEnds, "a refused session continues")
    }

    private func isJustified(_ reason: SignedOutReason, _ step: Step, _ memory: Memory) -> Bool {
        let held = step.before.held ?? step.after.held
        if memory.reason == reason || step.before.state == .signingIn { return true }
        // Another process was refused, and wrote it down.
        if step.input.seesStored({ stored in
            guard let pair = stored?.pair else { return false }
            guard let after = step.after.held else { return pair.tokens.refresh == nil }
            return pair.tokens.refresh == nil && pair.tokens.access == after.tokens.access
        }) {
            return true
        }
        // Another process ended the session, and wrote down why.
        if step.input.seesStored({ $0?.pair == nil && $0?.ending?.reason == reason }) {
            return true
        }
        switch reason {
        case .never: return step.before.held == nil
        case .user, .everywhere: return memory.hasRequestedLogout
        case .revoked:
            return isRefused(held, memory) || held?.tokens.refresh == nil
        case .lostRotation, .consumeWithoutReturn: return isRefused(held, memory)
        case .refreshExpired:
            guard let end = held?.refresh?.at else { return false }
            return isRefused(held, memory) || step.now >= end.advanced(bySeconds: -1)
        case .accessExpired: return held?.tokens.refresh == nil
        case .gaveUp: return scenario.giveUpAfter != nil
        case .renewedTokenRefused: return scenario.secondRefusalEnds && step.input.rejectsToken
        // No scenario has an experiment, or a backend that says why it refuses a token, or mixes its
        // users up.
        case .experiment, .sessionExpired, .anotherUser: return false
        case .deletedExternally: return step.input.seesStored { $0?.pair == nil }
        case .endedElsewhere:
            return step.input.seesStored { record in
                [.user, .everywhere].contains(record?.ending?.reason)
            }
        case .replaced: return step.input.seesStored { $0?.family != held?.family }
        }
    }

    private func isRefused(_ held: SessionPair?, _ memory: Memory) -> Bool {
        memory.refused != nil && memory.refused == held?.tokens.refresh
    }

    /// 19: a session has the reason of a lost response if and only if one was lost.
    private mutating func isWellNamed(
        _ reason: SignedOutReason,
        _ step: Step,
        _ memory: Memory,
        _ ledger: SpendLedger
    ) -> InvariantViolation.Finding? {
        let isVerdict = [
            SignedOutReason.revoked, .lostRotation, .refreshExpired, .consumeWithoutReturn,
        ]
        .contains(reason)
        guard scenario.rotation != .never, isVerdict, case .recordLoaded = step.input,
            let token = memory.refused, token == step.before.held?.tokens.refresh,
            let entry = ledger.entry(token),
            // Else the name is that of the process which ended the session.
            !step.input.seesStored({ $0?.ending != nil })
        else { return nil }
        names += 1
        if entry.unknown > 0, reason != .lostRotation {
            return InvariantViolation.Finding(
                .lostResponse,
                "a lost rotation is called \(reason.rawValue)"
            )
        }
        // A response that a killed process or a full disk has not stored cannot be distinguished
        // from a lost one.
        if entry.unknown == 0, reason == .lostRotation, scenario.kills == 0,
            scenario.vaultFaults == 0
        {
            return InvariantViolation.Finding(
                .lostResponse,
                "nothing was lost, yet it is called lostRotation"
            )
        }
        return nil
    }
}

extension SessionInput {
    /// Whether a request was refused.
    fileprivate var rejectsToken: Bool {
        guard case .protectedEnded(_, let exchange) = self,
            case .answered(.tokenRejected) = exchange.outcome
        else { return false }
        return true
    }

    /// Whether the input contains the stored record, and the record satisfies a condition.
    fileprivate func seesStored(_ isSo: (VaultRecord?) -> Bool) -> Bool {
        switch self {
        case .recordLoaded(_, .success(let record)): isSo(record)
        case .committed(_, .success(.superseded(let record))): isSo(record)
        default: false
        }
    }
}
