import Basics
import Profiles

@testable import Client
@testable import Lab
@testable import Model
@testable import Simulation

/// The real machine with one thing done wrong, between it and the environment.
struct Mutant: SimulatedClient {
    var machine: ClientMachine
    let mutation: Mutation

    private var spent: RefreshToken?
    private var firstAccess: AccessToken?
    private var lastPair: PairRecord?
    private var lastRecord: VaultRecord?
    private var lastMoment: Moment?
    private var hasActed = false
    /// The step brings a message, after which an old socket may be closed.
    private var hasCaughtUp = false
    private var lastOperation = 1_000_000
    /// The step reports a renewal that failed.
    private(set) var hasFailed = false

    init(
        _ configuration: SessionConfiguration,
        _ fingerprinter: Fingerprinter,
        _ random: SeededGenerator,
        _ mutation: Mutation
    ) {
        var configuration = configuration
        if mutation == .renewsTooLate { configuration.renewal.leadOverride = 0 }
        machine = ClientMachine(
            configuration: configuration,
            fingerprinter: fingerprinter,
            random: random
        )
        self.mutation = mutation
    }

    var schedule: RenewalSchedule? { machine.schedule }

    var view: MachineView {
        let view = machine.view
        return MachineView(
            state: renamed(view.state),
            flags: view.flags,
            held: view.held,
            schedule: view.schedule,
            feedToken: view.feedToken,
            sessionDeadline: forgetsTimer(in: view.state) ? nil : view.sessionDeadline,
            feedDeadline: view.feedDeadline
        )
    }

    private func renamed(_ state: SessionState) -> SessionState {
        guard mutation == .renamesLoss else { return state }
        switch state {
        case .draining(.lostRotation): return .draining(.revoked)
        case .signedOut(.lostRotation): return .signedOut(.revoked)
        default: return state
        }
    }

    private func forgetsTimer(in state: SessionState) -> Bool {
        guard mutation == .forgetsTimer, case .vaultUnavailable = state else { return false }
        return true
    }

    mutating func handle(_ input: SessionInput, at moment: Moment) -> [SessionEffect] {
        if case .feed(.message) = input { hasCaughtUp = true } else { hasCaughtUp = false }
        var effects = machine.handle(rewritten(input), at: moment)
        hasFailed = effects.contains { $0.tells(.refreshFailed) }
        if case .refreshEnded(_, let exchange) = input,
            case .answered(.issued(let issued)) = exchange.outcome, issued.refresh != nil
        {
            spent = lastPair?.tokens.refresh
        }
        effects += added(after: input, effects, at: moment)
        lastMoment = moment
        return effects.flatMap { rewritten($0, at: moment) }
    }

    private mutating func operation() -> OperationID {
        lastOperation += 1
        return lastOperation
    }

    // MARK: - What goes in

    private func rewritten(_ input: SessionInput) -> SessionInput {
        guard case .refreshEnded(let id, var exchange) = input else { return input }
        switch (mutation, exchange.outcome) {
        case (.endsOnTransient, .answered(.failed(.transient(let status, _, _)))):
            exchange.outcome = .answered(.refused(Refusal(status: status, message: nil)))
        case (.ignoresRefusal, .answered(.refused(let refusal))):
            exchange.outcome = .answered(
                .failed(.transient(status: refusal.status, message: nil, retryAfter: nil))
            )
        case (.ignoresRetryAfter, .answered(.failed(.transient(let status, let message, _)))):
            exchange.outcome = .answered(
                .failed(.transient(status: status, message: message, retryAfter: nil))
            )
        default: break
        }
        return .refreshEnded(id, exchange)
    }

    // MARK: - What is done besides

    private mutating func added(
        after input: SessionInput,
        _ effects: [SessionEffect],
        at moment: Moment
    ) -> [SessionEffect] {
        switch mutation {
        case .renewsTooOften where effects.contains { $0.tells(.tokensIssued) }:
            return machine.handle(.refreshNow, at: moment)
        case .renewsAfterAdopting where effects.contains { $0.tells(.adopted) }:
            return machine.handle(.refreshNow, at: moment)
        case .renewsWhenCanceled:
            guard case .waiterCancelled = input else { return [] }
            return machine.handle(.refreshNow, at: moment)
        case .clearsOthersJournal:
            guard case .flightLockHeld = input, var record = lastRecord else { return [] }
            record.journal = nil
            let condition = VaultCommit.Condition.sameSession(
                epoch: record.epoch,
                family: record.family
            )
            return [.commit(operation(), VaultCommit(record: record, condition: condition))]
        case .followsWallClock:
            // By a use of the token, so that only the wall clock betrays it.
            guard !hasActed, case .tokenNeeded = input,
                effects.contains(where: { $0.tells(.wallStep) })
            else { return [] }
            hasActed = true
            return machine.handle(.refreshNow, at: moment)
        case .endsOnFeedRefusal:
            guard case .feed(.closed(_, _, by: .peer, _)) = input, machine.state.isLive else {
                return []
            }
            return machine.handle(.logOut(.this), at: moment)
        case .dialsAtOnce:
            switch input {
            case .feed(.refused), .feed(.closed(_, _, by: .peer, _)):
                return machine.handle(.feed(.dialNow), at: moment)
            default: return []
            }
        case .tellsToken where effects.contains { $0.tells(.tokensIssued) }:
            let message = machine.held?.tokens.access.secret.reveal() ?? ""
            return [
                .emit(
                    SessionEvent(
                        moment: moment,
                        session: SessionID("simulated"),
                        profile: "simulated",
                        login: 1,
                        generation: 1,
                        kind: ProtocolError(
                            RefreshFailure(.notUnderstood(status: 400, detail: message))
                        )
                    )
                )
            ]
        default: return []
        }
    }

    // MARK: - What comes out

    private mutating func rewritten(_ effect: SessionEffect, at moment: Moment) -> [SessionEffect] {
        switch effect {
        case .sendRefresh(let id, let token):
            if mutation == .sendsTwice { return [effect, .sendRefresh(operation(), token)] }
            if mutation == .sendsSpentToken, let spent { return [.sendRefresh(id, spent)] }
        case .commit(let id, let commit): return rewritten(id, commit, at: moment)
        case .sendRevocation(let id, var entry) where mutation == .logsOutEverywhere:
            entry.scope = .everywhere
            return [.sendRevocation(id, entry)]
        case .sendProtected(let id, let call, let token, let isRetry)
        where mutation == .usesOldToken:
            let used = firstAccess ?? token
            firstAccess = used
            return [.sendProtected(id, call, used, isRetry: isRetry)]
        case .resume(let waiter, .success):
            if mutation == .answersTwice { return [effect, effect] }
            if mutation == .deniesGoodToken, machine.state != .fresh {
                return [.resume(waiter: waiter, .failure(.notRenewed(retryAt: nil)))]
            }
        case .finish(let caller, .refresh(.renewed)) where mutation == .misreportsRefresh:
            return [.finish(caller: caller, .refresh(.signedOut(.revoked)))]
        case .finishRequest(let id, .rejected) where mutation == .sendsThirdTime:
            let deadline = moment.now.advanced(bySeconds: 10)
            return machine.handle(
                .sendRequest(id: id, why: .simulated(id), deadline: deadline),
                at: moment
            )
        case .feed(.close(_, code: 1000)) where mutation == .keepsOldSocket && hasCaughtUp:
            return []
        case .feed(.dial(let socket, let generation, _)) where mutation == .forgetsSince:
            return [.feed(.dial(socket: socket, generation: generation, since: nil))]
        case .emit(let event):
            if let plan = (event.kind as? RenewalPlanned)?.plan {
                guard let announced = announced(plan) else { return [] }
                var event = event
                event.kind = RenewalPlanned(announced)
                return [.emit(event)]
            }
            guard let message = event.kind as? FeedMessageReceived, !message.isDuplicate,
                let seq = message.seq
            else { break }
            if mutation == .appliesTwice { return [effect, effect] }
            if mutation == .losesMessage, seq % 3 == 0 { return [] }
        case .probe(let id) where mutation == .skipsProbe:
            return machine.handle(.probed(id, reached: true), at: moment)
        default: break
        }
        return [effect]
    }

    private mutating func rewritten(
        _ id: OperationID,
        _ commit: VaultCommit,
        at moment: Moment
    ) -> [SessionEffect] {
        var commit = commit
        let old = lastPair
        let record = lastRecord
        if let pair = commit.record.pair {
            lastPair = pair
            lastRecord = commit.record
        }
        guard let pair = commit.record.pair else {
            switch mutation {
            case .writesAfterLogout:
                guard let record else { break }
                let again = VaultCommit(record: record, condition: .always)
                return [.commit(id, commit), .commit(operation(), again)]
            case .keepsPairAfterLogout:
                return machine.handle(.committed(id, .success(.committed)), at: moment)
            default: break
            }
            return [.commit(id, commit)]
        }
        let isRotation = old.map { $0.generation + 1 == pair.generation } ?? false
        switch mutation {
        case .publishesUncommitted where isRotation:
            return machine.handle(.committed(id, .success(.committed)), at: moment)
        case .skipsJournal where commit.record.journal != nil:
            return machine.handle(.committed(id, .success(.committed)), at: moment)
        case .mixesPairs where isRotation:
            commit.record.pair?.tokens.refresh = old?.tokens.refresh
        case .repeatsGeneration where isRotation:
            commit.record.pair?.generation = pair.generation - 1
        default: break
        }
        return [.commit(id, commit)]
    }
}

extension SessionEffect {
    enum Tale {
        case tokensIssued
        case refreshFailed
        case adopted
        case wallStep
    }

    fileprivate func tells(_ tale: Tale) -> Bool {
        guard case .emit(let event) = self else { return false }
        return switch tale {
        case .tokensIssued: event.kind is TokensIssued
        case .refreshFailed: event.kind is RefreshFailed
        case .adopted: event.kind is PairAdopted
        case .wallStep: event.kind is WallClockStepped
        }
    }
}
