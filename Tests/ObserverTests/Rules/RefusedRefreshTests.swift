import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("The rule about refused refreshes")
struct RefusedRefreshTests {
    private static func findings(_ script: TrafficScript) -> [ObservedFinding] {
        ObservationRun(script).findings.filter { $0.rule == "refresh-refused" }
    }

    @Test("says that a refusal for what was asked has spent the token, once it is refused for good")
    func spent() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let first = script.askRefresh(1)
        script.finish(first, 400, ["error": "invalid_target"])
        script.wait(1)
        let second = script.refuseRefresh(1)
        let found = Self.findings(script)
        #expect(found.map(\.variant) == [nil, "spent"])
        #expect(found.last?.exchanges == [first, second] && found.last?.isCertainBug == false)
    }

    @Test("is silent about a question for a session, and about one with a refresh token")
    func question() {
        func ask(_ script: inout TrafficScript) {
            let question = script.send("POST", "/authorize", json: ["prompt": "none"])
            script.finish(question, 400, ["error": "login_required"])
        }
        var first = TrafficScript()
        ask(&first)
        first.logIn()
        #expect(Self.findings(first).isEmpty)
        var renewable = TrafficScript()
        renewable.logIn()
        renewable.wait(10)
        ask(&renewable)
        #expect(Self.findings(renewable).isEmpty)
        var last = TrafficScript()
        last.logIn(refresh: false)
        last.wait(200)
        ask(&last)
        #expect(Self.findings(last).map(\.variant) == ["user"])
    }
}
