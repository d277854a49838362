import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

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

    @Test("what is due while the breaker is open is planned for when it closes")
    func circuitBreaker() throws {
        let harness = MachineHarness.signedIn()
        for request in 1...3 {
            harness.backend.endAccessTokens()
            harness.request(request)
            harness.advance(1)
        }
        let openUntil = try #require(harness.machine.flags.breakerOpenUntil)
        let plan = try #require(harness.toldPlan)
        guard harness.machine.schedule.map({ $0.refreshAt < openUntil }) == true else {
            return #expect(plan.reason == .accessTokenEnds)
        }
        #expect(plan == .scheduled(at: openUntil, .circuitBreakerCloses))
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
