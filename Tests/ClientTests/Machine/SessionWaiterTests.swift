import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: waiting for a token")
struct SessionWaiterTests {
    /// A session whose access token is over and whose renewal takes 10 s.
    private static func blocked() -> MachineHarness {
        let harness = MachineHarness.signedIn().restarted(after: 100)
        return harness
    }

    @Test("a usable token is granted at once, with the instant of its end")
    func atOnce() throws {
        let harness = MachineHarness.signedIn()
        harness.needToken(1)
        let grant = try #require(harness.resumed[1]?.first).get()
        #expect(grant.generation == 1)
        #expect(grant.usableUntil == harness.machine.schedule?.usableUntil)
    }

    @Test("a stale token is granted too, and renewed beside that")
    func stale() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        harness.needToken(1)
        #expect(harness.resumed[1]?.first?.generation == 1)
        #expect(harness.state == .renewing)
    }

    @Test("ten callers wait for one flight, and each is answered exactly once")
    func tenCallers() {
        let harness = Self.blocked()
        for waiter in 1...10 { harness.needToken(waiter) }
        harness.advance(1)
        #expect(harness.refreshes.count == 1)
        harness.advance(100)
        for waiter in 1...10 { #expect(harness.resumed[waiter]?.map(\.generation) == [2]) }
    }

    @Test("callers whose token was refused share one renewal, and each gets the other token")
    func refusedToken() throws {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        let refused = try #require(harness.machine.held?.tokens.access)
        for waiter in 1...10 { harness.needToken(waiter, inPlaceOf: refused) }
        harness.advance(2)
        #expect(harness.refreshes.map(\.cause) == [.unauthorized])
        for waiter in 1...10 {
            let grant = try #require(harness.resumed[waiter]?.first).get()
            #expect(grant.generation == 2)
            #expect(grant.token != refused)
        }
        // A caller that learns of the refusal late gets the new token at once.
        harness.needToken(11, inPlaceOf: refused)
        #expect(harness.resumed[11]?.map(\.generation) == [2])
        #expect(harness.refreshes.count == 1)
    }

    @Test("a caller whose every token is refused gets none while renewals are held back")
    func everyTokenRefused() throws {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        var waiter = 0
        for _ in 1...10 {
            guard let refused = harness.machine.held?.tokens.access else { break }
            waiter += 1
            harness.needToken(waiter, inPlaceOf: refused)
            harness.advance(1)
        }
        #expect((1...3).contains(harness.refreshes.count), "\(harness.refreshes.count)")
        let last = try #require(harness.resumed[waiter]?.first)
        #expect(throws: WaitFailure.self) { try last.get() }
        // A token that was not refused is still given.
        harness.needToken(100)
        #expect(harness.resumed[100]?.count == 1)
        #expect(harness.state.isLive)
    }

    @Test("since when the first caller waits is published, and that none waits now")
    func waitingSince() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.advanceToHard()
        #expect(harness.toldWaits.isEmpty)
        let since = harness.moment
        harness.needToken(1, timeout: 60)
        harness.advance(2)
        harness.needToken(2, timeout: 60)
        #expect(harness.toldWaits == [since])
        #expect(harness.snapshot.usersWaitSince == since)
        harness.advance(30)
        #expect(harness.resumed[2]?.map(\.generation) == [2])
        #expect(harness.toldWaits == [since, nil])
    }

    @Test("a request that waits after a 401 waits since then")
    func waitingAfterRefusal() throws {
        let harness = MachineHarness.signedIn { $0.roundTrip = 2 }
        harness.advance(1)
        harness.backend.endAccessTokens()
        harness.request(1)
        #expect(harness.toldWaits.isEmpty)
        harness.advance(until: { !$0.toldWaits.isEmpty })
        #expect(harness.toldWaits.last == .some(harness.moment))
        harness.advance(30)
        #expect(harness.toldWaits.count == 2)
        #expect(harness.toldWaits.last == .some(nil))
    }

    @Test("a caller waits until its own deadline, and the flight continues")
    func ownDeadline() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.advanceToHard()
        let began = harness.now
        harness.needToken(1, timeout: 1)
        harness.needToken(2, timeout: 14)
        harness.advance(until: { $0.resumed[1] != nil })
        #expect(harness.resumed[1]?.map(\.failure) == [.timedOut])
        #expect(harness.now == began + 1)
        harness.advance(10)
        #expect(harness.resumed[2]?.map(\.generation) == [2])
        #expect(harness.resumed[1]?.count == 1)
    }

    @Test("a caller whose deadline has already passed fails at once")
    func noPatience() {
        let harness = Self.blocked()
        harness.needToken(1, timeout: 0)
        #expect(harness.resumed[1]?.map(\.failure) == [.timedOut])
    }

    @Test("cancelling the first caller changes nothing for the others and the flight")
    func cancelFirst() {
        let harness = Self.blocked()
        harness.needToken(1)
        harness.needToken(2)
        harness.send(.waiterCancelled(1))
        harness.send(.waiterCancelled(1))
        #expect(harness.resumed[1]?.map(\.failure) == [.cancelled])
        harness.advance(1)
        #expect(harness.resumed[2]?.map(\.generation) == [2])
        #expect(harness.refreshes.count == 1)
        harness.send(.waiterCancelled(2))
        #expect(harness.resumed[2]?.count == 1)
    }

    @Test("cancelling all callers does not cancel the flight")
    func cancelAll() {
        let harness = Self.blocked()
        harness.needToken(1)
        harness.send(.waiterCancelled(1))
        harness.advance(1)
        #expect(harness.generation == 2)
    }

    @Test(
        "a logout ends the wait, and says which logout",
        arguments: [LogoutScope.this, .everywhere]
    )
    func logout(scope: LogoutScope) {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.advance(10)
        harness.backend.endAccessTokens()
        harness.send(.refreshNow)
        harness.settle()
        harness.backend.roundTrip = 0.1
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == nil)
        harness.send(.logOut(scope))
        #expect(harness.finished[1] == [.rejected(status: 401)])
    }

    @Test("callers learn why a session ended while they waited")
    func ended() {
        let harness = Self.blocked()
        harness.backend.endFamilies()
        harness.needToken(1)
        harness.vault.record = nil
        harness.advance(1)
        #expect(harness.resumed[1]?.first?.failure == .signedOut(.deletedExternally))
    }

    @Test("callers during a logout fail with its scope")
    func duringLogout() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 5 }
        harness.send(.logOut(.everywhere))
        harness.settle()
        harness.needToken(1)
        #expect(harness.resumed[1]?.first?.failure == .signedOut(.everywhere))
    }
}
