import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("A lifetime that is stated in milliseconds")
struct LifetimeUnitTests {
    @Test(
        "is suspected where a token is refused at the age that it would have then",
        arguments: [
            (6_000.0, 7.0, true), (12_000, 13, true), (3_600, 7, false), (6_000, 60, false),
        ]
    )
    func refused(life: Double, age: Double, isSuspected: Bool) throws {
        var script = TrafficScript()
        script.logIn(life: life)
        script.wait(2)
        script.call(1)
        script.wait(age - 2)
        script.call(1, "/items", 401)
        script.renew(1, life: life)
        script.call(2)
        let run = ObservationRun(script)
        let found = run.findings.first { $0.rule == "early-death" }
        let finding = try #require(found, "\(run.summary)")
        #expect(finding.message.contains("in milliseconds") == isSuspected, "\(finding.message)")
    }

    @Test("is suspected where another source states a thousandth", arguments: [300_000.0, 3_600])
    func mismatch(life: Double) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        let claims: JSONValue = ["sub": "7", "iat": 1_763_733_600, "exp": 1_763_733_900]
        let answer: JSONValue = [
            "access_token": .string(TrafficScript.webToken(claims)), "expires_in": .number(life),
        ]
        script.finish(login, 200, answer)
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first { $0.rule == "expiry-disagrees" })
        #expect(finding.message.contains("in milliseconds") == (life == 300_000))
    }
}
