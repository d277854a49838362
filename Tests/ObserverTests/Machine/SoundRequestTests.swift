import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

/// What sound apps ask, and sound backends refuse, without anything being wrong.
@Suite("A refusal or a change that is in order")
struct SoundRequestTests {
    private static func expectSound(
        _ script: TrafficScript,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let run = ObservationRun(script)
        let mistakes = run.findings.filter { $0.severity != .note }
        #expect(mistakes.isEmpty, "\(run.summary)", sourceLocation: sourceLocation)
    }

    @Test("a guest with a cookie of the framework is refused until there is a login")
    func guest() {
        var script = TrafficScript()
        let cookie = [WireHeader("Cookie", "sid=guest-4f9a17c03b7d51e2")]
        for _ in 1...12 {
            let call = script.send("GET", "/api/me", headers: cookie)
            script.finish(call, 401, ["error": "unauthenticated"])
            script.wait(4)
        }
        Self.expectSound(script)
    }

    @Test("a session that waits for a second factor is likely in a loop at most")
    func secondFactor() {
        var script = TrafficScript()
        script.logIn(life: 3_600)
        for _ in 1...8 {
            script.wait(3)
            let call = script.send("GET", "/me", bearer: TrafficScript.access(1))
            script.finish(call, 401, ["error": "mfa_required"])
        }
        let run = ObservationRun(script)
        #expect(run.findings.allSatisfy { $0.confidence == .likely }, "\(run.summary)")
    }

    @Test("a renewal for a resource that is not allowed has not used the refresh token")
    func refusedResource() {
        var script = TrafficScript()
        script.logIn()
        script.wait(250)
        let renewals = ["https://a.example", "https://b.example"].map {
            script.askByRefreshToken(1, "&resource=\($0)")
        }
        script.finish(renewals[0], 200, TrafficScript.pair(2, refresh: false))
        script.finish(renewals[1], 400, ["error": "invalid_target"])
        let races = ObservationRun(script).findings.filter { $0.rule == "race" }
        #expect(races.isEmpty)
    }

    /// How a renewal changes what is asked for, and with it the claims of the token.
    private static let changes: [(name: String, form: String, claims: JSONValue)] = [
        (
            "one of two resources", "&resource=https://a.example",
            ["sub": "ada", "aud": "https://a.example", "scope": "read write"]
        ),
        (
            "another audience with other rights", "&audience=b",
            ["sub": "ada", "aud": "b", "scope": "read"]
        ),
        (
            "another organization", "&organization_id=2",
            ["sub": "ada", "aud": ["https://a.example", "b"], "scope": "read", "org_id": "2"]
        ),
    ]

    @Test("a renewal that asks for something else brings something else", arguments: changes)
    func narrowed(change: (name: String, form: String, claims: JSONValue)) {
        var script = TrafficScript()
        script.logIn(
            claims: [
                "sub": "ada", "aud": ["https://a.example", "b"], "scope": "read write",
                "org_id": "1",
            ]
        )
        script.wait(250)
        let renewal = script.askByRefreshToken(1, change.form)
        script.finish(renewal, 200, TrafficScript.pair(2, claims: change.claims))
        Self.expectSound(script)
    }

    @Test("a preflight of what presents no token may be refused")
    func preflight() {
        var script = TrafficScript()
        let headers = [
            WireHeader("Origin", "https://app.example.com"),
            WireHeader("Access-Control-Request-Method", "POST"),
            WireHeader("Access-Control-Request-Headers", "content-type"),
        ]
        script.finish(script.send("OPTIONS", "/events", headers: headers), 403)
        Self.expectSound(script)
    }

    @Test("a refusal of a password or of a PIN is not one of the token beside it")
    func wrongPassword() {
        var script = TrafficScript()
        script.logIn(life: 3_600)
        script.call(1)
        for _ in 1...4 {
            script.wait(5)
            let call = script.send(
                "POST",
                "/account/password",
                bearer: TrafficScript.access(1),
                json: ["password": "wrong", "new_password": "also-wrong"]
            )
            script.finish(call, 401, ["message": "wrong password"])
        }
        let rules = ObservationRun(script).findings.map(\.rule)
        #expect(!rules.contains("fresh-refused"), "\(rules)")
    }

    @Test("a library's lead that is nearly the life of the tokens of two resources is a note")
    func leadOfTwoResources() throws {
        var script = TrafficScript()
        script.logIn(life: 315)
        var number = 1
        for _ in 1...5 {
            for resource in ["mail", "files"] {
                script.finish(
                    script.askByRefreshToken(number, "&scope=\(resource)"),
                    200,
                    TrafficScript.pair(number + 1, life: 315)
                )
                number += 1
            }
            for _ in 1...5 {
                script.wait(3)
                script.call(number - 1, "/mail")
                script.call(number, "/files")
            }
        }
        let run = ObservationRun(script)
        let found = run.findings.filter { $0.rule == "too-early" }
        #expect(found.map(\.variant) == ["fixed-lead"], "\(run.summary)")
        #expect(found.allSatisfy { $0.severity == .note }, "\(run.summary)")
    }

    @Test("what else can be refreshed needs no refresh token")
    func refreshedData() {
        var script = TrafficScript()
        script.logIn()
        script.wait(250)
        script.renew(1)
        for status in [404, 409, 422] {
            let call = script.send("POST", "/feeds/12/refresh", bearer: TrafficScript.access(2))
            script.finish(call, status)
            script.wait(2)
        }
        Self.expectSound(script)
    }

    @Test("a form that was taken before is not why a token is refused")
    func takenForm() {
        var script = TrafficScript()
        script.logIn(life: 600)
        let value = "Bearer \(TrafficScript.access(1)) "
        for (seconds, status) in [(10.0, 200), (200, 200), (500, 401)] {
            script.wait(seconds)
            let headers = [WireHeader("Authorization", "Bearer \(value)")]
            script.finish(script.send("GET", "/items", headers: headers), status)
        }
        let rules = ObservationRun(script).findings.map(\.rule)
        #expect(!rules.contains("bad-header"), "\(rules)")
    }
}
