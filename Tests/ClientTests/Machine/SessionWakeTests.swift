import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: sleep and the wall clock")
struct SessionWakeTests {
    @Test("wake with a renewal due: a second's wait, a probe, then the flight")
    func probeFirst() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.sleep(3600)
        let woke = harness.now
        harness.advance(5)
        #expect(harness.has("wake"))
        #expect(harness.probes == [woke + 1])
        #expect(harness.refreshes.first.map { $0.at > woke + 1.29 } == true)
        #expect(harness.state == .fresh)
        #expect(harness.refreshes.count == 1)
    }

    @Test("during the probe, callers wait and the state shows it")
    func callersWait() {
        let harness = MachineHarness.signedIn()
        harness.sleep(3600)
        harness.send(.tick)
        #expect(harness.state == .blocked)
        harness.request(1)
        #expect(harness.protectedSends.isEmpty)
        harness.advance(3)
        #expect(harness.finished[1] == [.accepted(status: 200)])
    }

    @Test("after three failed probes it waits as after any failure; the next flight probes again")
    func networkAway() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = nil }
        harness.probesSucceed = false
        harness.sleep(3600)
        harness.needToken(1)
        harness.advance(5)
        #expect(harness.probes.count == 3)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state.name == "expired")
        #expect(harness.resumed[1]?.first?.failure != nil)
        harness.probesSucceed = true
        harness.advance(20)
        #expect(harness.probes.count >= 4)
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .fresh)
    }

    @Test("after a sleep a user's renewal waits for a probe too")
    func userAfterWake() {
        let harness = MachineHarness.signedIn()
        harness.sleep(3600)
        harness.send(.refreshNow)
        harness.advance(0.5)
        #expect(harness.refreshes.isEmpty)
        harness.advance(5)
        #expect(harness.probes.count == 1)
        #expect(harness.refreshes.count == 1)
        #expect(harness.count("wake") == 1)
    }

    @Test(
        "a machine under load, whose ticks come a little late, is not taken for asleep",
        arguments: [0.1, 2, 5]
    )
    func underLoad(late: Double) {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        let refreshAt = harness.machine.schedule?.refreshAt.seconds(since: .origin) ?? 0
        harness.sleep(refreshAt - harness.now + late)
        harness.send(.tick)
        #expect(!harness.has("wake"))
        harness.settle()
        #expect(harness.refreshes.count == 1)
    }

    @Test(
        "a sleep is reported with its duration, and a stop not as a sleep",
        arguments: [
            // Sleeps: the timer's lateness is much less, or there is none.
            (60.0, 60.0, Interruption(cause: .suspended, duration: .seconds(60))),
            (20, 20, Interruption(cause: .suspended, duration: .seconds(20))),
            // Stopped: nothing but the lateness is known.
            (60, 0, nil),
        ] as [(Double, Double, Interruption?)]
    )
    func interruption(seconds: Double, suspended: Double, expected: Interruption?) throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 60 }
        let due = try #require(harness.machine.schedule?.refreshAt.seconds(since: .origin))
        harness.interrupt(seconds, suspended: suspended)
        let late = harness.now - due
        harness.send(.tick)
        harness.send(.tick)
        let told = harness.events.compactMap { event in
            event.kind as? Interruption
        }
        #expect(told.count == 1)
        if let expected {
            #expect(told.first == expected)
        } else {
            #expect(told.first?.cause == .stopped)
            #expect(abs((told.first?.duration.inSeconds ?? 0) - late) < 0.01)
        }
    }

    @Test("one sleep is reported once")
    func toldOnce() {
        let harness = MachineHarness.signedIn()
        harness.sleep(3600)
        harness.send(.tick)
        harness.send(.tick)
        harness.needToken(1)
        harness.advance(60)
        #expect(harness.count("wake") == 1)
    }

    @Test("a sleep past several deadlines is one, whichever of them is met first")
    func severalDeadlines() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.advanceToHard()
        harness.needToken(1, timeout: 1)
        harness.needToken(2, timeout: 2)
        harness.sleep(60)
        // Before the timer: each takes the deadline away that was overdue the longest.
        harness.send(.waiterCancelled(1))
        harness.send(.waiterCancelled(2))
        #expect(harness.count("wake") == 1)
    }

    @Test("a second sleep is reported too, by the deadline that the first one had passed already")
    func sleepsAgain() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.advanceToHard()
        harness.needToken(1, timeout: 1)
        harness.sleep(60)
        harness.send(.feed(.pong(socket: 1)))
        harness.sleep(30)
        harness.send(.tick)
        let durations = harness.events.compactMap { event in
            if let interruption = event.kind as? Interruption { interruption.duration } else { nil }
        }
        #expect(durations == [.seconds(59), .seconds(30)])
    }

    @Test("a logout during the probe leaves nothing behind")
    func logoutDuringProbe() {
        let harness = MachineHarness.signedIn()
        harness.sleep(3600)
        harness.advance(1.1)
        harness.send(.logOut(.this))
        harness.advance(60)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state == .signedOut(.user))
    }

    @Test("a login during the probe takes its place")
    func loginDuringProbe() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = nil }
        harness.backend.isUnreachable = true
        harness.advance(200)
        harness.sleep(3600)
        harness.advance(1.1)
        harness.backend.isUnreachable = false
        harness.send(.logIn)
        harness.advance(5)
        #expect(harness.state == .fresh)
        let flights = harness.refreshes.count
        harness.advance(30)
        #expect(harness.refreshes.count == flights)
    }

    @Test(
        "a step of the wall clock is reported, and moves no renewal of a relative lifetime",
        arguments: [-3600.0, 3600, 30]
    )
    func wallStep(seconds: Double) {
        let harness = MachineHarness.signedIn()
        let schedule = harness.machine.schedule
        harness.advance(10)
        harness.stepWall(seconds)
        harness.advance(1)
        harness.send(.tick)
        #expect(harness.count("wallStep") == 1)
        #expect(harness.machine.schedule == schedule)
        harness.advanceToSoft()
        #expect(harness.refreshes.count == 1)
        harness.advance(0.3)
        #expect(harness.state == .fresh)
    }

    @Test("a wall clock that drifts is not taken for one that was set")
    func drift() {
        let harness = MachineHarness.signedIn()
        for _ in 0..<10 {
            harness.stepWall(0.5)
            harness.advance(1)
            harness.send(.tick)
        }
        #expect(!harness.has("wallStep"))
    }

    @Test(
        "what is known of the server's clock is forgotten when the wall clock is set",
        arguments: [60.0, 1, -1, -3600]
    )
    func offsetForgotten(step: Double) {
        let harness = MachineHarness.signedIn { $0.ahead = 10 }
        #expect(harness.machine.offset != nil)
        harness.stepWall(step)
        harness.send(.tick)
        #expect(harness.machine.offset == nil)
        #expect(harness.has("wallStep") == (abs(step) > 2))
    }

    @Test("the server's clock is measured with every response, and reported when it changes")
    func offset() throws {
        let harness = MachineHarness.signedIn { $0.ahead = 100 }
        let offset = try #require(harness.machine.offset)
        #expect(offset.low <= 100 && 100 <= offset.likelyHigh)
        #expect(offset.high == nil)
        for id in 1...20 {
            harness.request(id)
            harness.advance(0.737)
        }
        let narrowed = try #require(harness.machine.offset)
        let high = try #require(narrowed.high)
        #expect(narrowed.low <= 100 && 100 <= high && high - narrowed.low < 5)
        #expect((2...6).contains(harness.count("skew")))
    }
}
