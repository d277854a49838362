import Basics
import Model
import Profiles
import Testing

@testable import Client

/// The machine's reaction to the order in which the backend accepts and refuses one token.
@Suite("ClientMachine: tokens that are refused and accepted")
struct SessionAcceptanceTests {
    /// Sends a request each second, of which the backend refuses those for which `refuses` is true,
    /// and their repetitions as often as `times` says.
    private static func send(
        _ numbers: ClosedRange<Int>,
        to harness: MachineHarness,
        times: Int = 1,
        refusing refuses: (_ number: Int, _ tokenAge: Double) -> Bool
    ) {
        for number in numbers {
            let issued = harness.machine.held?.issuedAt.now ?? .origin
            let age = harness.moment.now.seconds(since: issued)
            harness.backend.protectedFaults = Array(
                repeating: .refused,
                count: refuses(number, age) ? times : 0
            )
            harness.request(number)
            harness.advance(1)
        }
    }

    @Test("the breaker holds back what refusals start, and never the timer's renewal")
    func timer() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 15 }
        harness.backend.rejectsAll = true
        Self.send(1...4, to: harness) { _, _ in false }
        let until = try #require(harness.machine.flags.breakerOpenUntil)
        let refreshes = harness.refreshes.count
        let end = try #require(harness.machine.schedule?.usableUntil)
        #expect(end < until)
        harness.advance(end.seconds(since: harness.moment.now))
        #expect(harness.refreshes.dropFirst(refreshes).map(\.cause) == [.timer])
        #expect(harness.state == .fresh)
        #expect(harness.path.contains("expired") == false)
    }

    @Test("an acceptance closes the breaker, in the machine and in the snapshot")
    func acceptance() {
        let harness = MachineHarness.signedIn()
        harness.backend.rejectsAll = true
        Self.send(1...4, to: harness) { _, _ in false }
        #expect(harness.snapshot.flags.breakerOpenUntil != nil)
        harness.backend.rejectsAll = false
        Self.send(5...5, to: harness) { _, _ in false }
        #expect(harness.machine.flags.breakerOpenUntil == nil)
        #expect(harness.snapshot.flags.breakerOpenUntil == nil)
    }

    @Test(
        "a token that is accepted and refused in turn is not renewed for its refusals",
        arguments: [false, true]
    )
    func mixed(renewsBeforeUse: Bool) {
        let harness = MachineHarness.signedIn(
            configuration: .testing(renewsBeforeUse: renewsBeforeUse)
        ) { $0.accessLifetime = 600 }
        harness.advance(20)
        Self.send(1...30, to: harness) { number, _ in number.isMultiple(of: 2) }
        #expect(harness.snapshot.requestHealth.acceptances.isMixed)
        let refreshes = harness.refreshes.count
        #expect(refreshes <= 3)
        Self.send(31...60, to: harness) { number, _ in number.isMultiple(of: 2) }
        #expect(harness.refreshes.count == refreshes)
        // A token that is refused by all servers is renewed all the same.
        harness.backend.endAccessTokens()
        Self.send(61...66, to: harness) { _, _ in false }
        #expect(harness.refreshes.count == refreshes + 1)
        #expect(harness.finished[66] == [.accepted(status: 200)])
    }

    @Test("the order of a login before says nothing of the tokens of one that is adopted")
    func adopted() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 600 }
        harness.send(.refreshNow)
        harness.advance(20)
        Self.send(1...30, to: harness) { number, _ in number.isMultiple(of: 2) }
        #expect(harness.snapshot.requestHealth.acceptances.isMixed)
        harness.siblingLogsIn(as: "u1")
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.generation == 1)
        #expect(harness.machine.loginCount == 2)
        Self.send(31...33, to: harness) { _, _ in false }
        #expect(!harness.snapshot.requestHealth.acceptances.isMixed)
        harness.backend.endAccessTokens()
        let refreshes = harness.refreshes.count
        Self.send(34...36, to: harness) { _, _ in false }
        #expect(harness.refreshes.count == refreshes + 1)
        #expect(harness.finished[36] == [.accepted(status: 200)])
    }

    @Test("a token that is refused until it is some seconds old is not renewed for that again")
    func delayed() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 40 }
        Self.send(1...10, to: harness, times: 2) { _, age in age < 3 }
        let delay = try #require(harness.snapshot.requestHealth.acceptances.delay)
        #expect(delay < 3)
        #expect(harness.machine.flags.breakerOpenUntil == nil)
        let before = harness.refreshes.count
        Self.send(11...130, to: harness, times: 2) { _, age in age < 3 }
        #expect(Set(harness.refreshes.dropFirst(before).map(\.cause)) == [.timer])
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("tokens that end before they say so are renewed after their first refusal, each time")
    func early() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 600 }
        Self.send(1...100, to: harness) { _, age in age > 20 }
        #expect(!harness.snapshot.requestHealth.acceptances.isMixed)
        #expect(harness.snapshot.requestHealth.acceptances.delay == nil)
        #expect(harness.refreshes.count == 4)
        #expect(harness.finished.values.allSatisfy { $0 == [.accepted(status: 200)] })
        #expect(harness.snapshot.requestHealth.failurePeriod == nil)
    }

    @Test("a challenge that asks for a login, and no token, is no refusal of the token")
    func stepUp() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let response = WireResponse(
            status: 401,
            headers: [
                WireHeader(
                    "WWW-Authenticate",
                    #"Bearer error="insufficient_user_authentication", acr_values="gold""#
                )
            ],
            body: []
        )
        let decision = dialect.decideProtected(response)
        #expect(decision.meaning == .inconclusive(retryAfter: nil))
        #expect(decision.rule == .notExpiredError("insufficient_user_authentication"))
    }

    @Test("requests that fail are in trouble since the first, and a single failure passes")
    func trouble() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 600 }
        Self.send(1...2, to: harness) { _, _ in false }
        harness.backend.protectedFaults = [.status(500)]
        harness.request(3)
        harness.advance(1)
        #expect(harness.snapshot.requestHealth.failurePeriod?.failed == 1)
        Self.send(4...4, to: harness) { _, _ in false }
        #expect(harness.snapshot.requestHealth.failurePeriod == nil)
        for number in 5...9 {
            harness.backend.protectedFaults = number.isMultiple(of: 2) ? [] : [.status(500)]
            harness.request(number)
            harness.advance(1)
        }
        let period = try #require(harness.snapshot.requestHealth.failurePeriod)
        #expect(period.failed == 4)
        #expect(period.sent == 7)
        #expect(harness.snapshot.requestHealth.lastGoodAt != nil)
        Self.send(10...14, to: harness) { _, _ in false }
        #expect(harness.snapshot.requestHealth.failurePeriod == nil)
    }
}
