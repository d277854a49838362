import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

/// Short tokens that a backend makes for whoever presents a session, as many as are asked for.
@Suite("A token that is made for a session")
struct MintedTokenTests {
    private static let cookie = [WireHeader("Cookie", "session=session-of-ada-4f9a17c03b")]

    private static func mint(in script: inout TrafficScript) -> String {
        let now = script.now.wall.timeIntervalSince1970
        let token = TrafficScript.webToken([
            "sub": "ada", "iat": .number(now), "exp": .number(now + 60),
        ])
        let exchange = script.send("POST", "/v1/sessions/7/tokens", headers: cookie)
        script.finish(exchange, 200, ["jwt": .string(token)])
        return token
    }

    private static func logIn() -> TrafficScript {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        let value = "session=session-of-ada-4f9a17c03b; Path=/; HttpOnly; Secure; SameSite=Lax"
        script.finish(login, 200, ["ok": true], headers: [WireHeader("Set-Cookie", value)])
        return script
    }

    @Test("has the end that it states: what is sent after it is found")
    func ended() {
        var script = Self.logIn()
        let token = Self.mint(in: &script)
        for seconds in [10.0, 61, 5] {
            script.wait(seconds)
            let call = script.send("GET", "/items", bearer: token)
            script.finish(call, seconds == 10 ? 200 : 401)
        }
        let rules = ObservationRun(script).findings.map(\.rule)
        #expect(rules.contains("expired-sent"), "\(rules)")
    }

    @Test("is made again before it ends, and nothing is wrong")
    func healthy() {
        var script = Self.logIn()
        for _ in 1...6 {
            let token = Self.mint(in: &script)
            script.wait(25)
            let call = script.send("GET", "/items", bearer: token)
            script.finish(call, 200, ["items": []])
            script.wait(25)
        }
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }
}
