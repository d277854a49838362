import Basics
import Client
import FoundationEssentials
import Model
import Profiles
import Testing
import UI

@Suite("ClientMachine: a clock that is wrong")
struct SessionClockTests {
    private static let years = -3650 * 86_400.0

    @Test(
        "a token that has ended by authtop's clock is not fresh without a word where no Date says better",
        arguments: [3600.0, 36_000]
    )
    func endedOnArrival(ahead: Double) {
        let harness = MachineHarness()
        harness.backend.statement = .webToken
        harness.stepWall(ahead)
        harness.send(.start)
        harness.advance(5)
        #expect(harness.has("expiryMismatch"))
        #expect(harness.path.contains("fresh") == false)
        guard case .expired(let outlook) = harness.state else {
            Issue.record("\(harness.path)")
            return
        }
        #expect(outlook.failure == RefreshFailure(.expiredOnArrival))
        harness.advance(600)
        #expect(harness.refreshes.count < 20, "it is asked for again, but in no loop")
    }

    @Test(
        "where a Date says better, a clock that is wrong by hours changes nothing",
        arguments: [-36_000.0, -3600, 3600, 36_000]
    )
    func wrongWithDate(ahead: Double) {
        let harness = MachineHarness()
        harness.backend.statement = .webToken
        // By as much as authtop's clock is ahead, the server's is behind.
        harness.backend.ahead = -ahead
        harness.send(.start)
        harness.advance(5)
        #expect(harness.state == .fresh)
        #expect(harness.has("expiryMismatch") == false)
        #expect(harness.refreshes.isEmpty)
    }

    @Test("a record saved in the future says that the clock was set back, and is renewed at once")
    func setBack() {
        let harness = MachineHarness.signedIn().restarted(after: 1, wallStep: Self.years)
        let steps = harness.events.compactMap { event -> Double? in
            (event.kind as? WallClockStepped)?.seconds
        }
        #expect(steps.count == 1)
        #expect(steps.allSatisfy { abs($0 - Self.years) < 10 })
        #expect(harness.refreshes.count == 1)
        #expect(harness.protectedSends.isEmpty)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
    }

    @Test("no stored end lies further away than the lifetime it was issued with")
    func noLongerLife() throws {
        let harness = MachineHarness.signedIn().restarted(after: 1, wallStep: Self.years)
        let pairs = harness.events.compactMap { event -> PairDescription? in
            (event.kind as? TokensIssued)?.pair
        }
        let pair = try #require(pairs.first)
        for end in [pair.accessExpiry, pair.refreshExpiry] {
            let end = try #require(end)
            #expect(end.at.seconds(since: harness.moment.now) <= end.lifetime.inSeconds)
        }
        #expect(pair.refreshExpiry?.expiry.isAssumed == true)
    }

    @Test("a session without a refresh token is not ended for a clock that was set back")
    func nothingToRenewWith() {
        let first = MachineHarness.signedIn { $0.hasRefreshToken = false }
        let harness = first.restarted(after: 1, wallStep: Self.years)
        #expect(harness.state == .fresh)
        harness.advance(61)
        #expect(harness.state == .signedOut(.accessExpired))
    }

    @Test("a refresh token that may have expired is still tried after the clock was set back")
    func refreshTokenTried() {
        let first = MachineHarness.signedIn { $0.refreshLifetime = 100 }
        let harness = first.restarted(after: 50, wallStep: Self.years)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
    }

    @Test("a status says by how much at least the clock was set back, and the session is alive")
    func status() {
        let first = MachineHarness.signedIn()
        let machine = ClientMachine(
            configuration: .testing(),
            fingerprinter: .testing,
            random: SeededGenerator(seed: 1)
        )
        func status(after step: Double) -> SessionStatus {
            let wall = first.moment.wall.addingTimeInterval(step)
            let moment = Moment(now: first.moment.now, wall: wall)
            return SessionStatus(
                record: .success(first.vault.record),
                machine: machine,
                at: moment
            )
        }
        let setBack = status(after: Self.years)
        #expect(abs((setBack.clockSetBack ?? 0) + Self.years) < 10)
        #expect(setBack.isAlive)
        #expect(setBack.json(causes: CauseText()).contains("clockSetBack"))
        #expect(status(after: 1).clockSetBack == nil)
    }

    @Test("a clock that was put right by a second or two is none that was set back")
    func slewed() {
        let harness = MachineHarness.signedIn().restarted(after: 0, wallStep: -1.5)
        #expect(harness.has("wallStep") == false)
        #expect(harness.path == ["cold", "fresh"])
        #expect(harness.refreshes.isEmpty)
    }
}
