import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: waiting for a token")
struct SessionWaiterTests {
    /// A session whose access token is over and whose renewal takes 10 s.
    private static func blocked() -> Scene {
        let scene = Scene.signedIn().restarted(after: 100)
        return scene
    }

    @Test("a usable token is granted at once, with the instant of its end")
    func atOnce() throws {
        let scene = Scene.signedIn()
        scene.needToken(1)
        let grant = try #require(scene.resumed[1]?.first).get()
        #expect(grant.generation == 1)
        #expect(grant.usableUntil == scene.machine.schedule?.hard)
    }

    @Test("a stale token is granted too, and renewed beside that")
    func stale() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        scene.needToken(1)
        #expect(scene.resumed[1]?.first?.generation == 1)
        #expect(scene.state == .renewing)
    }

    @Test("ten callers wait for one flight, and each is answered exactly once")
    func tenCallers() {
        let scene = Self.blocked()
        for waiter in 1...10 { scene.needToken(waiter) }
        scene.advance(1)
        #expect(scene.refreshes.count == 1)
        scene.advance(100)
        for waiter in 1...10 { #expect(scene.resumed[waiter]?.map(\.generation) == [2]) }
    }

    @Test("a caller waits until its own deadline, and the flight goes on")
    func ownDeadline() {
        let scene = Scene.signedIn { $0.roundTrip = 15 }
        scene.advanceToHard()
        let began = scene.now
        scene.needToken(1, patience: 1)
        scene.needToken(2, patience: 14)
        scene.advance(until: { $0.resumed[1] != nil })
        #expect(scene.resumed[1]?.map(\.failure) == [.timedOut])
        #expect(scene.now == began + 1)
        scene.advance(10)
        #expect(scene.resumed[2]?.map(\.generation) == [2])
        #expect(scene.resumed[1]?.count == 1)
    }

    @Test("a caller whose deadline has passed already is told so at once")
    func noPatience() {
        let scene = Self.blocked()
        scene.needToken(1, patience: 0)
        #expect(scene.resumed[1]?.map(\.failure) == [.timedOut])
    }

    @Test("cancelling the first caller changes nothing for the others and the flight")
    func cancelFirst() {
        let scene = Self.blocked()
        scene.needToken(1)
        scene.needToken(2)
        scene.send(.waiterCancelled(1))
        scene.send(.waiterCancelled(1))
        #expect(scene.resumed[1]?.map(\.failure) == [.cancelled])
        scene.advance(1)
        #expect(scene.resumed[2]?.map(\.generation) == [2])
        #expect(scene.refreshes.count == 1)
        scene.send(.waiterCancelled(2))
        #expect(scene.resumed[2]?.count == 1)
    }

    @Test("cancelling all callers does not cancel the flight")
    func cancelAll() {
        let scene = Self.blocked()
        scene.needToken(1)
        scene.send(.waiterCancelled(1))
        scene.advance(1)
        #expect(scene.generation == 2)
    }

    @Test(
        "a logout ends the wait, and says which logout",
        arguments: [LogoutScope.this, .everywhere]
    )
    func logout(scope: LogoutScope) {
        let scene = Scene.signedIn { $0.roundTrip = 15 }
        scene.advance(10)
        scene.backend.endAccessTokens()
        scene.send(.refreshNow)
        scene.settle()
        scene.backend.roundTrip = 0.1
        scene.request(1)
        scene.advance(1)
        #expect(scene.finished[1] == nil)
        scene.send(.logOut(scope))
        #expect(scene.finished[1] == [.rejected(status: 401)])
    }

    @Test("callers learn why a session ended while they waited")
    func ended() {
        let scene = Self.blocked()
        scene.backend.endFamilies()
        scene.needToken(1)
        scene.vault.record = nil
        scene.advance(1)
        #expect(scene.resumed[1]?.first?.failure == .signedOut(.deletedExternally))
    }

    @Test("callers who come while a logout is under way are told which one")
    func duringLogout() {
        let scene = Scene.signedIn { $0.roundTrip = 5 }
        scene.send(.logOut(.everywhere))
        scene.settle()
        scene.needToken(1)
        #expect(scene.resumed[1]?.first?.failure == .signedOut(.everywhere))
    }
}
