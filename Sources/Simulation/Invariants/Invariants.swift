import Backend
import Basics
import Client
import Model
import Profiles

/// All checks, and the events that each of them observes.
struct Invariants {
    private var ledger = SpendLedger()
    var publication = PublicationCheck()
    private var pairs = PairCheck()
    private var journal = JournalCheck()
    private var generations = GenerationCheck()
    private var resurrection: ResurrectionCheck
    private var feedOrders = FeedOrderCheck()
    var feed: FeedExactnessCheck
    private var dials = DialCheck()
    var otherSession = OtherSessionCheck(family: nil)
    private var ending: EndingCheck
    private var tokenUse: TokenUseCheck
    var economy: EconomyCheck
    var liveness = LivenessCheck()
    var waiters = WaiterCheck()
    var refusals = RefusalCheck()
    private var retryAfter = RetryAfterCheck()
    private var survival: SurvivalCheck
    private var suspend = SuspendCheck()
    var secrets = SecretCheck()
    var logout = LogoutCheck()
    private var logins = LoginCheck()
    var announcements: AnnouncementCheck
    /// When refreshes were sent, for a comparison with a world whose wall clock is left alone.
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

    mutating func died(_ process: Int, now: Instant) {
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

    mutating func woke(_ process: Int, overdueSince deadline: Instant?, now: Instant) {
        suspend.woke(process, overdueSince: deadline, now: now)
        waiters.woke(process, now)
        feed.woke(process, now)
    }

    mutating func clockWasSet() {
        tokenUse.clockWasSet()
    }

    mutating func recordRemoved(_ family: String?) {
        resurrection.ended(family)
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        noteIssued(step)
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

    private mutating func noteIssued(_ step: Step) {
        switch step.input {
        case .loginEnded(_, let exchange):
            guard case .answered(.issued(let issued)) = exchange.outcome else { return }
            pairs.issued(issued, for: nil)
            secrets.issued([issued.access.secret, issued.refresh?.secret].compactMap(\.self))
        case .refreshEnded(let id, let exchange):
            guard case .answered(.issued(let issued)) = exchange.outcome else { return }
            pairs.issued(issued, for: ledger.token(of: id, step.process))
            secrets.issued([issued.access.secret, issued.refresh?.secret].compactMap(\.self))
        default: break
        }
    }

    mutating func heard(
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

    mutating func wrote(_ write: VaultWrite) -> InvariantViolation.Finding? {
        publication.wrote(write)
        let finding =
            pairs.wrote(write)
            ?? generations.wrote(write)
            ?? resurrection.wrote(write)
            ?? journal.wrote(write, ledger)
        ledger.wrote(write)
        return finding
    }

    mutating func dials(
        _ token: AccessToken,
        by process: Int,
        _ now: Instant,
        _ backend: AuthBackend,
        _ policy: BackendPolicy,
        _ clock: SimulatedClock
    ) -> InvariantViolation.Finding? {
        tokenUse.dials(token, now, backend, policy, clock)
    }

    mutating func sends(
        _ sent: SentRequest,
        _ backend: AuthBackend,
        _ policy: BackendPolicy,
        _ clock: SimulatedClock
    ) -> InvariantViolation.Finding? {
        switch sent.purpose {
        case .login: return logins.sends(by: sent.process)
        case .revocation: return nil
        case .protected(let token):
            refusals.sends(token, sent.operation, by: sent.process)
            return tokenUse.sends(token, sent, backend, policy, clock)
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
