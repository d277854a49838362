import Basics
import Testing

@testable import Model
@testable import Profiles
@testable import UI

@Suite("The evidence of exchanges")
struct EvidenceTests {
    private static func evidence(_ body: String, _ rule: DecidingRule) -> ResponseEvidence {
        ResponseEvidence(
            statusLine: "HTTP/1.1 401 Unauthorized",
            headers: [
                WireHeader("Date", "Fri, 21 Nov 2025 14:02:17 GMT"),
                WireHeader("WWW-Authenticate", "Bearer error=\"invalid_token\""),
                WireHeader("Set-Cookie", "refresh"),
            ],
            body: body,
            bodyBytes: body.utf8.count,
            rule: rule
        )
    }

    /// The screen of an ordinary session whose refresh token is refused.
    private static func refused() -> EventScript {
        var script = EventScript.ordinary()
        script.wait(6)
        let message = "Refresh token reused or revoked"
        let failure = RefreshFailure(.refreshTokenRefused(status: 401, detail: message))
        script.failRenewal(failure, attempt: 1, nextIn: nil)
        for place in script.events.indices {
            guard var record = script.events[place].kind as? Exchange,
                record.id == script.requests
            else { continue }
            record.tokenAge = 93
            record.evidence = evidence(
                #"{"detail":"\#(message)"}"#,
                .terminal(RuleCondition(statuses: [401], key: "detail"))
            )
            script.events[place].kind = record
        }
        script.add(
            RefreshTokenRefused(
                RefusalEvidence(
                    age: 94,
                    lifetime: 300,
                    sendsWithoutAnswer: 0,
                    possibleCauses: [.usedElsewhere, .revoked, .forgotten],
                    message: message
                )
            )
        )
        script.add(SessionDraining(endsAt: script.instant(5.4), reason: .revoked))
        script.enter(.draining(.revoked))
        return script
    }

    @Test("stand in the overlay of a request: the answer, what decided, and how old the token was")
    func detail() throws {
        let script = Self.refused()
        var state = DashboardState(script)
        state.press(.enter)
        try expectScreen(state.screen(120, 40, script.now), named: "detail-evidence")
    }

    @Test(
        "a refusal of a refresh that no rule of the profile reads has the rule that would",
        arguments: [
            (#"{"detail":"gone","trace":"4711"}"#, ["status = 401", #"key = "detail""#]),
            ("<html>", ["status = 401"]),
        ]
    )
    func unread(body: String, rule: [String]) {
        var script = EventScript.ordinary()
        script.wait(6)
        let failure = RefreshFailure(.unavailable(status: 401, detail: nil))
        script.failRenewal(failure, attempt: 1, nextIn: 5)
        for place in script.events.indices {
            guard var record = script.events[place].kind as? Exchange,
                record.id == script.requests
            else { continue }
            record.evidence = Self.evidence(body, .unlisted)
            script.events[place].kind = record
        }
        var state = DashboardState(script)
        state.press(.enter)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("no refresh.terminal rule of the profile reads it"))
        #expect(text.contains("[[refresh.terminal]]"))
        for line in rule { #expect(text.contains(line)) }
        #expect(text.contains("key =") == (rule.count > 1))
        #expect(!text.contains("unavailable"))
    }

    @Test("a request that was not sent had no connection, not one that was open already")
    func notSent() {
        var script = EventScript.ordinary()
        script.request(
            .protected,
            "GET",
            "/posts/feed",
            .notSent(.unreachable(detail: "connection refused")),
            seconds: 0.001,
            why: .user
        )
        var state = DashboardState(script)
        state.press(.enter)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("connect      no connection"))
        #expect(!text.contains("open already"))
    }

    @Test("what the server says with a refusal is on the screen, quoted, without any key")
    func quoted() {
        var script = Self.refused()
        var state = DashboardState(script)
        let quote = "\"Refresh token reused or revoked\""
        #expect(state.screen(120, 40, script.now).text.contains(quote))
        script.wait(6)
        script.add(SignedOut(.revoked))
        script.enter(.signedOut(.revoked))
        var after = DashboardState(script)
        for (columns, rows) in [(120, 40), (80, 24)] {
            #expect(after.screen(columns, rows, script.now).text.contains("token reused"))
        }
        script.generation = 0
        script.logIn()
        var next = DashboardState(script)
        #expect(next.screen(200, 60, script.now).text.contains(quote))
    }

    @Test("are bounded, and a poll that succeeds pushes out no failure")
    func bounded() {
        var script = EventScript()
        script.logIn()
        func answered(_ id: Int, _ status: Int) -> Exchange {
            Exchange(
                id: id,
                purpose: .protected,
                method: "GET",
                target: "/",
                result: .answered(status: status),
                seconds: 0.1,
                generation: 1,
                why: .user,
                evidence: Self.evidence("{}", .status)
            )
        }
        script.add(answered(2, 401))
        for id in 3..<3_000 { script.add(answered(id, 200)) }
        let session = SessionSnapshot(folding: script.events)
        #expect(session.evidence.evidence(numbered: 2) != nil)
        #expect(session.evidence.evidence(numbered: 2_999) != nil)
        #expect(session.evidence.evidence(numbered: 2_999 - EvidenceLog.successLimit) == nil)
        #expect(session.requests.allSatisfy { $0.exchange.evidence == nil })
    }
}
