import Lifecycle
import Observation
import Testing
import Tokens

/// What a healthy app does that has bad luck, or a slow machine.
struct HealthyAppCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: String
    let act: @Sendable (inout TrafficScript) -> Void

    init(_ rule: String, _ what: String, act: @escaping @Sendable (inout TrafficScript) -> Void) {
        testDescription = "\(rule): \(what)"
        self.rule = rule
        self.act = act
    }
}

extension HealthyAppCase {
    static let all = [
        HealthyAppCase("gave-up", "it logs out after its third try") { script in
            script.logIn()
            script.wait(290)
            for _ in 0..<3 {
                let failed = script.askRefresh(1)
                script.finish(failed, 503)
                script.wait(5)
            }
            script.logOut(1)
        },
        HealthyAppCase("gave-up", "it logs in since its refresh token has ended") { script in
            let login = script.send(
                "POST",
                "/login",
                json: ["username": "ada", "password": "correct"]
            )
            let pair: JSONValue = [
                "access_token": .string(TrafficScript.access(1)), "expires_in": 300,
                "refresh_token": .string(TrafficScript.refresh(1)), "refresh_expires_in": 310,
            ]
            script.finish(login, 200, pair)
            script.wait(300)
            let failed = script.askRefresh(1)
            script.finish(failed, 503)
            script.wait(20)
            script.logIn(2)
        },
    ]
}

@Suite("A healthy app")
struct HealthyAppTests {
    @Test("is not blamed", arguments: HealthyAppCase.all)
    func quiet(item: HealthyAppCase) {
        var script = TrafficScript()
        item.act(&script)
        let run = ObservationRun(script)
        #expect(!run.findings.contains { $0.rule == item.rule }, "\(run.summary)")
    }
}
