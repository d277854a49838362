import Basics
import Model
import Profiles
import Testing

@testable import Observer

@Suite("A placeholder in the place of a token")
struct PlaceholderCauseTests {
    /// A refresh that was answered in some way, and what the app sends then.
    private static func finding(
        _ status: Int,
        _ type: String,
        _ body: String
    ) throws -> ObservedFinding {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let renewal = script.askRefresh(1)
        let header = WireHeader("Content-Type", type)
        script.answer(renewal, status, headers: [header], body: Array(body.utf8))
        script.deliver(renewal)
        script.wait(1)
        let item = script.send("GET", "/items", bearer: "undefined")
        script.finish(item, 401)
        let run = ObservationRun(script)
        return try #require(run.findings.first { $0.rule == "bad-header" }, "\(run.summary)")
    }

    @Test("comes from a page that was stored, or from a refusal with 200")
    func cause() throws {
        let page = try Self.finding(200, "text/html", "<html><title>Wi-Fi</title></html>")
        #expect(page.exchanges == [2, 3])
        #expect(page.message.contains("#2, answered 200, had brought no token, but a page"))
        let refusal = try Self.finding(200, "application/json", "{\"ok\":false}")
        #expect(refusal.exchanges == [2, 3])
        #expect(refusal.message.contains("had brought no token, and the app did not notice"))
    }

    @Test("keeps that cause while the refreshes that follow are refused")
    func repeated() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let renewal = script.askRefresh(1)
        let header = WireHeader("Content-Type", "text/html")
        script.answer(renewal, 200, headers: [header], body: Array("<html></html>".utf8))
        script.deliver(renewal)
        for _ in 1...2 {
            script.wait(1)
            script.finish(script.send("GET", "/items", bearer: "undefined"), 401)
            script.finish(script.askRefresh(1), 400, ["error": "invalid_grant"])
        }
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first { $0.rule == "bad-header" }, "\(run.summary)")
        #expect(finding.count == 2)
        #expect(
            finding.message
                == "#5 sends “undefined” in the place of a token: #2, answered 200, had "
                + "brought no token, but a page"
        )
    }

    @Test("has no such cause after a failure that says that it is one", arguments: [400, 503])
    func failure(status: Int) throws {
        let finding = try Self.finding(status, "application/json", "{}")
        #expect(finding.exchanges == [3])
        #expect(finding.message == "#3 sends “undefined” in the place of a token")
    }
}
