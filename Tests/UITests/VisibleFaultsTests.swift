import Model
import Testing
import UI

@Suite("Screens: what is wrong, in words")
struct FaultsInSightTests {
    @Test(
        "the header shows the requested faults, or their number",
        arguments: [
            (120, "· faults: delay, server-error:p=0.2 "), (80, "· faults: delay, server-error"),
            (60, "bitbasel · with 2 faults "),
        ]
    )
    func faults(columns: Int, message: String) {
        let script = EventScript.ordinary()
        let session = DashboardSession(
            id: EventScript.session,
            faults: ["delay", "server-error:p=0.2"]
        )
        var state = DashboardState(script, session: session)
        let header = state.screen(columns, 24, script.now).text.split(separator: "\n")[0]
        #expect(header.contains(message))
    }

    @Test("the header shows the faults that an event names, in place of those at the start")
    func changedFaults() {
        var script = EventScript.ordinary()
        script.add(FaultsChange(active: ["rate-limit"], by: .sandbox))
        let session = DashboardSession(id: EventScript.session, faults: ["delay"])
        var state = DashboardState(script, session: session)
        let header = state.screen(120, 24, script.now).text.split(separator: "\n")[0]
        #expect(header.contains("faults: rate-limit "))
        script.add(FaultsChange(active: [], by: .user))
        state = DashboardState(script, session: session)
        let screen = state.screen(120, 40, script.now).text
        #expect(!screen.split(separator: "\n")[0].contains("fault"))
        #expect(screen.contains("fault on, seen at the sandbox: rate-limit"))
        #expect(screen.contains("all faults of the sandbox are off, by you"))
    }

    @Test("faults that have no room are counted")
    func manyFaults() {
        let script = EventScript.ordinary()
        let faults = Array(repeating: "server-error:p=0.2", count: 9)
        let session = DashboardSession(id: EventScript.session, faults: faults)
        var state = DashboardState(script, session: session)
        #expect(state.screen(60, 16, script.now).text.contains("bitbasel · with 9 faults"))
    }

    @Test(
        "a socket that is silent for longer than its ping says so",
        arguments: [(21.0, false), (22, true), (29, true)]
    )
    func silence(seconds: Double, isRevoked: Bool) {
        var script = EventScript.cold()
        script.logIn(accessLife: 300)
        script.open()
        script.wait(seconds)
        var state = DashboardState(script)
        let text = state.screen(80, 24, script.now).text
        #expect(text.contains("silent") == isRevoked)
        script.add(FeedPinged(socket: 1, roundTrip: .milliseconds(1)))
        state = DashboardState(script)
        #expect(!state.screen(80, 24, script.now).text.contains("silent"))
    }

    @Test("a backend that answers 503 differs from one that is unreachable")
    func unavailable() {
        let answered = EventScript.failing { .expired($0) }
        var state = DashboardState(answered)
        #expect(state.screen(120, 40, answered.now).text.contains("backend answers 503"))
        let unreached = EventScript.failing(.notSent) { .expired($0) }
        state = DashboardState(unreached)
        let text = state.screen(120, 40, unreached.now).text
        #expect(text.contains("◇ token expired · failed ×2 (backend unreachable)"))
        #expect(text.contains("backend unreachable"))
    }
}
