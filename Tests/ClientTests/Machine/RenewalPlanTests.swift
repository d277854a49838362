import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: the plan of the next renewal")
struct RenewalPlanTests {
    @Test(
        "the reported instant is the one at which the next flight begins",
        arguments: ["fresh", "retrying", "unknown", "expired"]
    )
    func planIsKept(name: String) throws {
        let harness = MachineHarness.signedIn()
        harness.bring(to: name)
        let renewsAt = try #require(harness.toldPlan?.renewsAt)
        #expect(renewsAt > harness.moment.now)
        harness.advance(until: { $0.toldPlan?.renewsAt != renewsAt })
        #expect(harness.moment.now == renewsAt)
        #expect(harness.toldPlan == .underWay)
    }

    @Test(
        "each situation has its plan",
        arguments: [
            ("fresh", RenewalPlan.Code.scheduled), ("renewing", .underWay),
            ("retrying", .scheduled), ("blocked", .underWay), ("expired", .scheduled),
            ("unknown", .scheduled), ("draining", .impossible), ("paused", .held),
            ("unsaved", .scheduled), ("probing", .underWay),
        ]
    )
    func situations(name: String, code: RenewalPlan.Code) {
        let harness = MachineHarness.signedIn()
        harness.bring(to: name)
        #expect(harness.toldPlan?.code == code)
        #expect(harness.toldPlan == harness.machine.renewalPlan)
    }

    @Test("a renewal says since when it waits for the lock of another process, until it has it")
    func lockHeldElsewhere() throws {
        let harness = MachineHarness.signedIn()
        harness.vault.lockHeldElsewhere = 3
        harness.advanceToSoft()
        let since = harness.moment.now
        #expect(harness.state == .renewing)
        #expect(harness.toldPlan == .awaitsLock(since: since))
        harness.advance(2)
        #expect(harness.toldPlan == .awaitsLock(since: since))
        #expect(harness.refreshes.isEmpty)
        harness.advance(until: { $0.refreshes.count == 1 })
        #expect(harness.toldPlan == .underWay)
        #expect(harness.now - since.seconds(since: .origin) >= 3)
        harness.advance(until: { $0.generation == 2 })
        #expect(harness.toldPlan?.code == .scheduled)
    }

    @Test("a renewal says which process has held the lock for how long, if that is known")
    func lockHolder() throws {
        let harness = MachineHarness.signedIn()
        harness.vault.lockHeldElsewhere = 3
        harness.vault.lockHolder = LockHolder(process: 4_121, seconds: 12)
        harness.advanceToSoft()
        let since = harness.moment.now.advanced(bySeconds: -12)
        #expect(harness.toldPlan == .awaitsLock(since: since, by: 4_121))
    }

    @Test("a login says that it waits for the lock of another process, until it has it")
    func loginAwaitsLock() {
        let harness = MachineHarness.signedOut()
        harness.vault.lockHeldElsewhere = 3
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .signingIn)
        #expect(harness.toldPlan?.code == .awaitsLock)
        harness.advance(until: { $0.toldPlan?.code != .awaitsLock })
        #expect(harness.toldPlan == .underWay)
        harness.advance(until: { $0.generation == 1 })
        #expect(harness.toldPlan?.code == .scheduled)
    }

    @Test("a renewal that does not get the lock is planned again, and waits again")
    func lockHeldTooLong() throws {
        let harness = MachineHarness.signedIn()
        harness.vault.lockHeldElsewhere = 1_000
        harness.advanceToSoft()
        let since = harness.moment.now
        harness.advance(until: { $0.toldPlan?.code == .scheduled })
        #expect(harness.failures.map(\.failure.cause) == [.lockHeld])
        #expect(harness.toldPlan?.reason == .retry)
        harness.advance(until: { $0.toldPlan?.code == .awaitsLock })
        #expect(harness.toldPlan == .awaitsLock(since: harness.moment.now))
        #expect(harness.moment.now > since)
    }

    @Test(
        "what is sent again after an answer says whether that was lost or unusable",
        arguments: [
            ([ScriptedBackend.Fault.lostAnswer], RenewalReason.lostAnswer, RefreshCause.lostAnswer),
            ([.undecodable], .unusableAnswer, .unusableAnswer),
            ([.lostAnswer, .undecodable], .unusableAnswer, .unusableAnswer),
            ([.undecodable, .lostRequest], .lostAnswer, .lostAnswer),
            ([.undecodable, .status(503)], .unusableAnswer, .unusableAnswer),
        ]
    )
    func answerBefore(
        faults: [ScriptedBackend.Fault],
        reason: RenewalReason,
        cause: RefreshCause
    ) {
        let harness = MachineHarness.signedIn { $0.grace = 60 }
        harness.backend.refreshFaults = faults
        harness.advanceToSoft()
        harness.advance(until: { $0.failures.count == faults.count })
        #expect(harness.toldPlan?.reason == reason)
        harness.advance(until: { $0.generation == 2 })
        #expect(harness.refreshes.last?.cause == cause)
    }

    @Test("a refresh token that nothing moves on is used once more as it ends, and then never")
    func refreshTokenEnds() throws {
        let harness = Self.fixed()
        let refreshEnd = try #require(harness.machine.held?.refresh?.at)
        #expect(harness.toldPlan == .scheduled(at: refreshEnd, .lastUseOfRefreshToken))
        harness.advance(until: { $0.generation == 2 })
        let schedule = try #require(harness.machine.schedule)
        #expect(harness.toldPlan == .scheduled(at: schedule.refreshAt, .refreshTokenOver))
        harness.advance(until: { $0.state.name == "draining" }, atMost: 3_600)
        #expect(harness.toldPlan == .impossible(.refreshExpired))
    }

    @Test("a refresh token that the profile calls spent by a use is planned as one to be refused")
    func refreshTokenSpent() throws {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: .maybe, spendsUnreplaced: true)
        ) { $0.behavior = .consumes }
        #expect(harness.toldPlan?.reason == .accessTokenEnds)
        #expect(harness.pairs.last?.keptRefresh == nil)
        harness.advance(until: { $0.generation == 2 })
        #expect(harness.pairs.last?.keptRefresh == .spent)
        let schedule = try #require(harness.machine.schedule)
        #expect(harness.toldPlan == .scheduled(at: schedule.refreshAt, .refreshTokenSpent))
        harness.advance(until: { !$0.failures.isEmpty })
        #expect(harness.failures.map(\.failure.kind) == [.refused])
    }

    @Test(
        "a refresh token that a use does not spend is planned as any other",
        arguments: [
            (ScriptedBackend.Behavior.keepsSilently, false, KeptRefreshToken.omitted),
            (.keeps, true, .repeated), (.keepsSilently, true, .spent),
        ]
    )
    func refreshTokenKept(
        behavior: ScriptedBackend.Behavior,
        spendsUnreplaced: Bool,
        kept: KeptRefreshToken
    ) {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: .maybe, spendsUnreplaced: spendsUnreplaced)
        ) { $0.behavior = behavior }
        harness.advance(until: { $0.generation == 2 })
        #expect(harness.pairs.last?.keptRefresh == kept)
        #expect((harness.toldPlan?.reason == .refreshTokenSpent) == (kept == .spent))
        // Once it was accepted again, uses do not spend it.
        harness.advance(until: { $0.generation == 3 })
        #expect(harness.toldPlan?.reason == .accessTokenEnds)
    }

    @Test("a renewal a day before the refresh token expires has that reason")
    func refreshTokenIsExtended() {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = 30 * 86_400
            $0.refreshLifetime = 30 * 86_400
        }
        #expect(harness.toldPlan?.reason == .refreshTokenEnds)
    }

    @Test("without a refresh token nothing is planned, and the session ends as it then does")
    func noRefreshToken() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(hasRefreshToken: false)
        ) { $0.hasRefreshToken = false }
        #expect(harness.toldPlan == .impossible(.accessExpired))
        harness.advance(until: { $0.state.name == "signedOut" })
        #expect(harness.signedOutReasons == [.accessExpired])
    }

    @Test("what is due while the breaker is open is planned for its time")
    func circuitBreaker() throws {
        let harness = MachineHarness.signedIn()
        for request in 1...3 {
            harness.backend.endAccessTokens()
            harness.request(request)
            harness.advance(1)
        }
        #expect(harness.machine.flags.breakerOpenUntil != nil)
        let refreshAt = try #require(harness.machine.schedule?.refreshAt)
        #expect(harness.toldPlan == .scheduled(at: refreshAt, .accessTokenEnds))
    }

    @Test("a snapshot has the plan while a pair is held, and none after")
    func snapshot() {
        let harness = Self.fixed()
        #expect(harness.snapshot.renewalPlan == harness.machine.renewalPlan)
        harness.advance(until: { $0.state.name == "signedOut" }, atMost: 7_200)
        #expect(harness.snapshot.renewalPlan == nil)
        #expect(harness.machine.renewalPlan == nil)
    }

    /// An access token of an hour, and a refresh token of five minutes that no renewal moves on.
    private static func fixed() -> MachineHarness {
        MachineHarness.signedIn(configuration: .testing(rotation: .never, refreshSlides: false)) {
            $0.behavior = .keepsSilently
            $0.slides = false
            // It ends a second before the backend's clock says so: the last use is in time.
            $0.isRefreshWebToken = true
            $0.accessLifetime = 3_600
            $0.refreshLifetime = 300
        }
    }
}
