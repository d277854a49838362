import Basics
import Model
import Testing

@testable import UI

@Suite("A login that waits for the lock of another process")
struct WaitingLoginTests {
    private func waiting() -> (state: DashboardState, script: EventScript) {
        var script = EventScript.ended(.never)
        script.add(LoginStarted())
        script.enter(.signingIn)
        script.add(RenewalPlanned(.awaitsLock(since: script.instant(0), by: 4_121)))
        return (DashboardState(script), script)
    }

    @Test("is given up with Esc, which closes an overlay first")
    func escape() {
        var (state, _) = waiting()
        let id = EventScript.session
        _ = state.update(.key("?"))
        #expect(state.update(.key(.escape)).isEmpty)
        #expect(state.update(.key(.escape)) == [.perform(.cancelLogIn, on: id)])
    }

    @Test("says so when it is begun again")
    func again() {
        var (state, _) = waiting()
        _ = state.update(.key("o"))
        #expect(state.notice?.message == "already logging in: Esc gives it up")
    }

    @Test("takes the place of the advice to log in, after a session that ended")
    func advice() {
        var script = EventScript.ended(.revoked)
        let ended = DashboardState(script).screenText(at: script.now)
        script.add(LoginStarted())
        script.enter(.signingIn)
        let waiting = DashboardState(script).screenText(at: script.now)
        #expect(ended.contains("press o to log in"))
        #expect(!waiting.contains("press o to log in"))
    }

    @Test("that has the lock is not interrupted")
    func sent() {
        var script = waiting().script
        script.add(RenewalPlanned(.underWay))
        var state = DashboardState(script)
        #expect(state.update(.key(.escape)).isEmpty)
    }
}

extension DashboardState {
    fileprivate func screenText(at now: Moment) -> String {
        var state = self
        return state.screen(120, 40, now).text
    }
}
