import Basics
import Profiles
import Testing

@testable import Model

/// The only token of a session, which lives on as long as it is used.
@Suite("A token that the backend prolongs")
struct ProlongedTokenTests {
    private static func status(_ run: ObservationRun) -> ObservedStatus? {
        SessionSnapshot(folding: run.events.filter { $0.session == SessionID("1") }).observed.status
    }

    @Test("has not ended, which is said once")
    func outlived() throws {
        var script = TrafficScript()
        script.logIn(life: 60, refresh: false)
        for _ in 1...10 {
            script.wait(30)
            script.call(1)
        }
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first, "\(run.summary)")
        #expect(run.findings.count == 1, "\(run.summary)")
        #expect(finding.rule == "expired-sent" && finding.variant == "prolonged")
        #expect(finding.severity == .note && finding.count == 1)
        #expect(Self.status(run) == .live(until: nil))
    }

    @Test("ends when its newest answer says")
    func stated() {
        var script = TrafficScript()
        func cookie() -> [WireHeader] {
            [
                WireHeader(
                    "Set-Cookie",
                    "session=\(TrafficScript.access(1)); Max-Age=60; HttpOnly; Secure; SameSite=Lax"
                )
            ]
        }
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(login, 200, ["ok": true], headers: cookie())
        for _ in 1...10 {
            script.wait(40)
            let call = script.send(
                "GET",
                "/items",
                headers: [WireHeader("Cookie", "session=\(TrafficScript.access(1))")]
            )
            script.finish(call, 200, ["items": []], headers: cookie())
        }
        let run = ObservationRun(script, after: 0)
        #expect(run.findings.filter { $0.rule == "expired-sent" }.isEmpty, "\(run.summary)")
        guard case .live(until: _?)? = Self.status(run) else {
            Issue.record("\(String(describing: Self.status(run)))")
            return
        }
    }

    @Test("is another matter than one of a pair")
    func pair() throws {
        var script = TrafficScript()
        script.logIn(life: 60)
        script.wait(100)
        script.call(1)
        let run = ObservationRun(script)
        #expect(run.findings.map(\.severity) == [.risk], "\(run.summary)")
    }
}
