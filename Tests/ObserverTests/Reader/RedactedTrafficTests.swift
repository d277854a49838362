import Basics
import Model
import Profiles
import Testing

@testable import Observer

/// An archive in which a tool has put something else in the place of tokens.
@Suite("What stands in place of a token")
struct RedactedTrafficTests {
    @Test(
        "is no token",
        arguments: [
            "REDACTED", "[redacted]", "[REDACTED]", "<redacted>", "***", "********", "xxxxxxxxxxxx",
            "(removed)", "<bearer token>", "[access token]", "{access token}", "(token removed)",
            "*** ***",
            "<access token removed by the test recorder of the project>",
            "[REDACTED].eyJzdWIiOjF9.c2ln", "[REDACTED].[REDACTED].[REDACTED]",
            "[access_token-redacted]",
            "REDACTED_REFRESH_TOKEN", "••••••••••",
            "[Filtered]", "<token>", "<access_token>",
        ]
    )
    func redacted(text: String) {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "***"])
        let pair: JSONValue = ["access_token": .string(text), "refresh_token": .string(text)]
        script.finish(login, 200, pair, headers: [WireHeader("Set-Cookie", "session=\(text)")])
        let item = script.send(
            "GET",
            "/items",
            bearer: text,
            headers: [WireHeader("Cookie", "session=\(text)")]
        )
        script.finish(item, 401)
        let renewal = script.send("POST", "/refresh", json: ["refresh_token": .string(text)])
        script.finish(renewal, 200, pair)
        let run = ObservationRun(script)
        #expect(run.machine.traffic.graph.families.isEmpty)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("a token with such letters is one", arguments: ["redacted-9f1c", "hidden7Zx81kq0Plm"])
    func token(text: String) {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        let long = text + "-" + String(repeating: "0a1b", count: 12)
        script.finish(login, 200, ["access_token": .string(long)])
        #expect(ObservationRun(script).machine.traffic.graph.families.count == 1)
    }

    @Test(
        "what a program writes that has no token is a flaw, and no redaction",
        arguments: [
            "undefined", "null", "[object Object]", "[object Promise]", "{{token}}", "${TOKEN}",
            "YOUR_TOKEN", "your-access-token", "<your_token>", "None",
        ]
    )
    func placeholder(text: String) {
        var script = TrafficScript()
        script.logIn()
        let item = script.send("GET", "/items", bearer: text)
        script.finish(item, 401)
        let findings = ObservationRun(script).findings.filter { $0.rule == "bad-header" }
        #expect(findings.map(\.variant) == ["placeholder"])
    }
}
