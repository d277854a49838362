import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("Logouts that no path names")
struct LogoutReadingTests {
    private static func end(_ run: ObservationRun) -> ObservedEnd? {
        run.machine.traffic.graph.families[1]?.end
    }

    @Test(
        "a DELETE of the session of its own token is one",
        arguments: ["/v3/auth/tokens", "/session", "/api/sessions/current", "/auth/session"]
    )
    func session(path: String) {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        let logout = script.send("DELETE", path, bearer: TrafficScript.access(1))
        script.finish(logout, 204)
        script.wait(100)
        script.logIn(2)
        let run = ObservationRun(script)
        #expect(Self.end(run) == .logout)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("one by the header that names the token is, of the session of that", arguments: [1, 2])
    func subject(number: Int) {
        var script = TrafficScript()
        script.logIn(1)
        script.call(1)
        script.userAgent = "admin/1.0"
        script.logIn(2)
        script.call(2)
        let logout = script.send(
            "DELETE",
            "/v3/auth/tokens",
            headers: [
                WireHeader("X-Auth-Token", TrafficScript.access(2)),
                WireHeader("X-Subject-Token", TrafficScript.access(number)),
            ]
        )
        script.finish(logout, 204)
        let run = ObservationRun(script)
        #expect(run.machine.traffic.graph.families[number]?.end == .logout)
        #expect(run.machine.traffic.graph.families[3 - number]?.end == nil)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("one whose token goes on was none", arguments: ["/sessions", "/auth/token"])
    func goesOn(path: String) {
        var script = TrafficScript()
        script.logIn()
        for _ in 1...2 {
            script.call(1)
            script.wait(1)
            let deletion = script.send("DELETE", path, bearer: TrafficScript.access(1))
            script.finish(deletion, 204)
            script.wait(1)
        }
        script.call(1)
        script.wait(270)
        script.renew(1)
        script.call(2)
        let run = ObservationRun(script)
        #expect(Self.end(run) == nil)
        #expect(run.machine.traffic.graph.families[1]?.generations.count == 2)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test(
        "a DELETE of something else is none",
        arguments: ["/push/token", "/sessions/17", "/carts/4"]
    )
    func other(path: String) {
        var script = TrafficScript()
        script.logIn()
        let deletion = script.send("DELETE", path, bearer: TrafficScript.access(1))
        script.finish(deletion, 204)
        #expect(Self.end(ObservationRun(script)) == nil)
    }

    @Test("a logout by what the login has brought ends its session")
    func captured() {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(
            login,
            200,
            [
                "access_token": .string(TrafficScript.access(1)), "expires_in": 300,
                "handle": .string(UnnamedTraffic.key(1)),
            ]
        )
        script.call(1)
        let logout = script.send(
            "POST",
            "/logout",
            json: ["handle": .string(UnnamedTraffic.key(1))]
        )
        script.finish(logout, 204)
        let run = ObservationRun(script)
        #expect(Self.end(run) == .logout)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }
}
