import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: sleep and the wall clock")
struct SessionWakeTests {
    @Test("wake with a renewal due: a second's wait, a probe, then the flight")
    func probeFirst() {
        let scene = Scene.signedIn { $0.accessLifetime = 900 }
        scene.sleep(3600)
        let woke = scene.now
        scene.advance(5)
        #expect(scene.has("wake"))
        #expect(scene.probes == [woke + 1])
        #expect(scene.refreshes.first.map { $0.at > woke + 1.29 } == true)
        #expect(scene.state == .fresh)
        #expect(scene.refreshes.count == 1)
    }

    @Test("while the probe is under way, callers wait and the state says so")
    func callersWait() {
        let scene = Scene.signedIn()
        scene.sleep(3600)
        scene.send(.tick)
        #expect(scene.state == .blocked)
        scene.request(1)
        #expect(scene.protectedSends.isEmpty)
        scene.advance(3)
        #expect(scene.finished[1] == [.accepted(status: 200)])
    }

    @Test("three probes in vain, then it waits as after any failure; the next flight probes again")
    func networkAway() {
        let scene = Scene.signedIn { $0.refreshLifetime = nil }
        scene.probesSucceed = false
        scene.sleep(3600)
        scene.needToken(1)
        scene.advance(5)
        #expect(scene.probes.count == 3)
        #expect(scene.refreshes.isEmpty)
        #expect(scene.state.name == "offline")
        #expect(scene.resumed[1]?.first?.failure != nil)
        scene.probesSucceed = true
        scene.advance(20)
        #expect(scene.probes.count >= 4)
        #expect(scene.refreshes.count == 1)
        #expect(scene.state == .fresh)
    }

    @Test("after a sleep a person's renewal waits for a probe too")
    func personAfterWake() {
        let scene = Scene.signedIn()
        scene.sleep(3600)
        scene.send(.refreshNow)
        scene.advance(0.5)
        #expect(scene.refreshes.isEmpty)
        scene.advance(5)
        #expect(scene.probes.count == 1)
        #expect(scene.refreshes.count == 1)
        #expect(scene.count("wake") == 1)
    }

    @Test(
        "a machine under load, whose ticks come a little late, is not taken for asleep",
        arguments: [0.1, 2, 5]
    )
    func underLoad(late: Double) {
        let scene = Scene.signedIn { $0.accessLifetime = 900 }
        let soft = scene.machine.schedule?.soft.seconds(since: .origin) ?? 0
        scene.sleep(soft - scene.now + late)
        scene.send(.tick)
        #expect(!scene.has("wake"))
        scene.settle()
        #expect(scene.refreshes.count == 1)
    }

    @Test("one sleep is told once")
    func toldOnce() {
        let scene = Scene.signedIn()
        scene.sleep(3600)
        scene.send(.tick)
        scene.send(.tick)
        scene.needToken(1)
        scene.advance(60)
        #expect(scene.count("wake") == 1)
    }

    @Test("a logout during the probe leaves nothing behind")
    func logoutDuringProbe() {
        let scene = Scene.signedIn()
        scene.sleep(3600)
        scene.advance(1.1)
        scene.send(.logOut(.this))
        scene.advance(60)
        #expect(scene.refreshes.isEmpty)
        #expect(scene.state == .signedOut(.user))
    }

    @Test("a login during the probe takes its place")
    func loginDuringProbe() {
        let scene = Scene.signedIn { $0.refreshLifetime = nil }
        scene.backend.isUnreachable = true
        scene.advance(200)
        scene.sleep(3600)
        scene.advance(1.1)
        scene.backend.isUnreachable = false
        scene.send(.logIn)
        scene.advance(5)
        #expect(scene.state == .fresh)
        let flights = scene.refreshes.count
        scene.advance(30)
        #expect(scene.refreshes.count == flights)
    }

    @Test(
        "a step of the wall clock is told, and moves no renewal of a relative lifetime",
        arguments: [-3600.0, 3600, 30]
    )
    func wallStep(seconds: Double) {
        let scene = Scene.signedIn()
        let schedule = scene.machine.schedule
        scene.advance(10)
        scene.stepWall(seconds)
        scene.advance(1)
        scene.send(.tick)
        #expect(scene.count("wallStep") == 1)
        #expect(scene.machine.schedule == schedule)
        scene.advanceToSoft()
        #expect(scene.refreshes.count == 1)
        scene.advance(0.3)
        #expect(scene.state == .fresh)
    }

    @Test("a wall clock that drifts is not taken for one that was set")
    func drift() {
        let scene = Scene.signedIn()
        for _ in 0..<10 {
            scene.stepWall(0.5)
            scene.advance(1)
            scene.send(.tick)
        }
        #expect(!scene.has("wallStep"))
    }

    @Test("what is known of the server's clock is forgotten when the wall clock is set")
    func offsetForgotten() {
        let scene = Scene.signedIn { $0.ahead = 10 }
        #expect(scene.machine.offset != nil)
        scene.stepWall(60)
        scene.send(.tick)
        #expect(scene.machine.offset == nil)
    }

    @Test("the server's clock is learned from every answer, and told when it changes")
    func offset() throws {
        let scene = Scene.signedIn { $0.ahead = 100 }
        let offset = try #require(scene.machine.offset)
        #expect(offset.low <= 100 && 100 <= offset.high)
        for id in 1...20 {
            scene.request(id)
            scene.advance(0.737)
        }
        let narrowed = try #require(scene.machine.offset)
        #expect(narrowed.width < offset.width)
        #expect(narrowed.low <= 100 && 100 <= narrowed.high)
        #expect((2...6).contains(scene.count("skew")))
    }
}
