import Backend
import Basics
import Client
import Model
import Profiles
import Simulation

/// All checks, and the events that each of them observes.
struct Invariants {
    private var ledger = SpendLedger()
    private var publication = PublicationCheck()
    private var pairs = PairCheck()
    private var journal = JournalCheck()
    private var generations = GenerationCheck()
    private var resurrection: ResurrectionCheck
    private var feedOrders = FeedOrderCheck()
    private var feed: FeedExactnessCheck
    private var dials = DialCheck()
    private var otherSession = OtherSessionCheck(family: nil)
    private var ending: EndingCheck
    private var tokenUse: TokenUseCheck
    private var economy: EconomyCheck
    private var liveness = LivenessCheck()
    private var waiters = WaiterCheck()
    private var refusals = RefusalCheck()
    private var retryAfter = RetryAfterCheck()
    private var survival: SurvivalCheck
    private var suspend = SuspendCheck()
    private var secrets = SecretCheck()
    private var logout = LogoutCheck()
    private var logins = LoginCheck()
    private var announcements: AnnouncementCheck
    /// When refreshes were sent, for a comparison with a system whose wall clock is left alone.
    private(set) var refreshTimes: [Instant] = []

    init(scenario: Scenario) {
        resurrection = ResurrectionCheck(revokesAtBackend: scenario.logoutScopes.contains(.this))
        ending = EndingCheck(scenario: scenario)
        tokenUse = TokenUseCheck(scenario: scenario)
        economy = EconomyCheck(scenario: scenario)
        feed = FeedExactnessCheck(scenario: scenario)
        survival = SurvivalCheck(scenario: scenario)
        announcements = AnnouncementCheck(scenario: scenario)
    }

    func firstLoss(of token: RefreshToken) -> Instant? {
        ledger.entry(token)?.firstLossAt
    }

    // MARK: - What happens

    /// - Returns: The problem, or `nil` if there is none.
    mutating func observe(
        _ observation: SystemObservation,
        of process: Int?,
        at now: Instant
    ) -> InvariantViolation.Finding? {
        switch observation {
        case .otherSession(let family): otherSession = OtherSessionCheck(family: family)
        case .handled(let step): return handled(step)
        case .rested(let step, let pending): return rested(step, pending)
        case .searched(let event): return secrets.searched(event)
        case .published(let view, let isUnsaved):
            return publication.published(view, isUnsaved: isUnsaved)
        case .finishedAction(let action, let result, let view):
            return waiters.answered(action, result, view)
        case .decided(let exchange, let server):
            return otherSession.decided(exchange, server.backend)
        case .dials(let token, let server): return tokenUse.dials(token, now, server)
        case .networkLost(let until): economy.outageBegins(now, until: until)
        case .wrote(let write): return wrote(write)
        case .recordRemoved(let family): resurrection.ended(family)
        case .clockSet: tokenUse.clockWasSet()
        case .logoutDue(let family, let stored):
            return logout.mustBeDone(family: family, stored: stored)
        case .emitted, .resumed, .finishedRequest, .woke, .died, .sends, .feedMayMiss:
            guard let process else { return nil }
            return observe(observation, of: process, at: now)
        case .ended, .disrupted, .failed: break
        }
        return nil
    }

    private mutating func observe(
        _ observation: SystemObservation,
        of process: Int,
        at now: Instant
    ) -> InvariantViolation.Finding? {
        switch observation {
        case .emitted(let event): return heard(event, process, now)
        case .resumed(let waiter, let caller, let result, let isUnsaved):
            return waiters.resumed(waiter, caller, result, now)
                ?? publication.granted(result, isUnsaved: isUnsaved)
        case .finishedRequest(let id, let deadline):
            refusals.finished(id, process)
            return waiters.finished(id, deadline, now)
        case .woke(let deadline): woke(process, overdueSince: deadline, now: now)
        case .died: died(process, now: now)
        case .sends(let exchange, let view?, let server):
            return sends(SentRequest(exchange, view, at: now), server)
        case .feedMayMiss: feed.mayMiss(process)
        default: break
        }
        return nil
    }

    private mutating func rested(
        _ step: Step,
        _ pending: PendingWork
    ) -> InvariantViolation.Finding? {
        liveness.rests(step, pending)
            ?? announcements.rests(step)
            ?? feed.rests(step)
            ?? waiters.overdue(pending, after: step)
    }

    private mutating func died(_ process: Int, now: Instant) {
        ledger.died(process, now: now)
        journal.died(process)
        resurrection.died(process)
        feedOrders.died(process)
        feed.died(process)
        dials.died(process)
        ending.died(process)
        refusals.died(process)
        retryAfter.died(process)
        suspend.died(process)
        logins.died(process)
        announcements.died(process)
    }

    private mutating func woke(_ process: Int, overdueSince deadline: Instant?, now: Instant) {
        suspend.woke(process, overdueSince: deadline, now: now)
        waiters.woke(process, now)
        feed.woke(process, now)
    }

    private mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        recordIssued(step)
        let finding =
            generations.handled(step)
            ?? resurrection.handled(step, ledger)
            ?? feedOrders.handled(step)
            ?? feed.handled(step)
            ?? dials.handled(step)
            ?? ending.handled(step, ledger)
            ?? tokenUse.handled(step)
            ?? waiters.handled(step)
            ?? refusals.handled(step)
            ?? logout.handled(step)
        suspend.handled(step)
        logins.handled(step)
        otherSession.handled(step)
        switch step.input {
        case .refreshEnded(let id, let exchange):
            retryAfter.answered(exchange, for: ledger.token(of: id, step.process), step)
            ledger.settled(id, of: step.process, exchange.outcome, now: step.now)
        case .committed(_, .failure): ledger.couldNotWrite(step.process)
        default: break
        }
        return finding
    }

    private mutating func recordIssued(_ step: Step) {
        switch step.input {
        case .loginEnded(_, let exchange):
            guard case .answered(.issued(let issued)) = exchange.outcome else { return }
            pairs.issued(issued, for: nil)
            secrets.issued([issued.access.secret, issued.refresh?.secret].compactMap(\.self))
        case .refreshEnded(let id, let exchange):
            let spent = ledger.token(of: id, step.process)
            switch exchange.outcome {
            case .answered(.issued(let issued)):
                pairs.issued(issued, for: spent)
                secrets.issued([issued.access.secret, issued.refresh?.secret].compactMap(\.self))
            case .answered(.refreshTokenOnly(let successor)):
                pairs.replaced(spent, by: successor.refresh)
                secrets.issued([successor.refresh.secret])
            case .answered, .notSent, .unanswered: break
            }
        default: break
        }
    }

    private mutating func heard(
        _ event: SessionEvent,
        _ process: Int,
        _ now: Instant
    ) -> InvariantViolation.Finding? {
        if let cause = (event.kind as? RefreshStarted)?.cause {
            retryAfter.began(cause, by: process)
            return economy.tried(process, now)
        } else if event.kind is TokensIssued {
            retryAfter.renewed(process)
            return nil
        } else if let record = event.kind as? Exchange {
            return refusals.ended(record, process)
        } else if event.kind is RefreshSucceeded || event.kind is SignedOut {
            return survival.heard(event)
        } else {
            return nil
        }
    }

    private mutating func wrote(_ write: VaultWrite) -> InvariantViolation.Finding? {
        publication.wrote(write)
        let finding =
            pairs.wrote(write)
            ?? generations.wrote(write)
            ?? resurrection.wrote(write)
            ?? journal.wrote(write, ledger)
        ledger.wrote(write)
        return finding
    }

    private mutating func sends(
        _ sent: SentRequest,
        _ server: SimulatedServer
    ) -> InvariantViolation.Finding? {
        switch sent.purpose {
        case .login: return logins.sends(by: sent.process)
        case .revocation: return nil
        case .protected(let token):
            refusals.sends(token, sent.operation, by: sent.process)
            return tokenUse.sends(token, sent, server)
        case .refresh(let token):
            refreshTimes.append(sent.now)
            return ledger.sends(token, sent.operation, by: sent.process, now: sent.now)
                ?? retryAfter.sends(token, sent)
                ?? suspend.sends(sent)
                ?? journal.sends(token, by: sent.process)
                ?? economy.sends(sent)
        }
    }

    // MARK: - How often each was checked

    var counts: [Invariant: Int] {
        [
            .singleSpend: ledger.checked, .noNeedlessRespend: ledger.checked,
            .commitBeforePublish: publication.checked, .atomicPair: pairs.checked,
            .journal: journal.checked, .generations: generations.checked,
            .noResurrection: resurrection.checked + feedOrders.orders,
            .feedExactness: feed.applied,
            .noCrossSessionDamage: otherSession.checked, .transientNeverSignsOut: ending.endings,
            .terminalAlwaysEnds: ending.refusals, .drainingUntilExpiry: tokenUse.grants,
            .expiredTokenBan: tokenUse.uses, .availability: tokenUse.waits,
            .economy: economy.checked, .timerLiveness: liveness.checked,
            .waiters: waiters.checked, .refusalDiscipline: refusals.checked,
            .retryAfterRespected: retryAfter.checked,
            .lostResponse: ending.names + survival.checked,
            .siblings: survival.checked + logins.checked,
            .suspend: suspend.checked, .secrets: secrets.checked,
            .separation: feedOrders.rejections, .logoutAlwaysWorks: logout.checked,
            .announcedRenewal: announcements.checked, .dialDiscipline: dials.checked,
        ]
    }
}

/// A request at the moment at which its first byte leaves.
struct SentRequest {
    let process: Int
    let purpose: PendingExchange.Purpose
    let operation: OperationID
    let view: MachineView
    let now: Instant

    init(_ exchange: PendingExchange, _ view: MachineView, at now: Instant) {
        process = exchange.process
        purpose = exchange.purpose
        operation = exchange.operation
        self.view = view
        self.now = now
    }
}
