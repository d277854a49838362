import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("The server's own words of an app's exchange")
struct ServerWordsTests {
    /// Returns what the event of a request says, and the run.
    private static func words(
        _ status: Int,
        _ json: JSONValue? = nil,
        headers: [WireHeader] = []
    ) -> (words: String?, run: ObservationRun) {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(400)
        let call = script.send("GET", "/me", bearer: TrafficScript.access(1))
        script.finish(call, status, json, headers: headers)
        let run = ObservationRun(script)
        let exchanges = run.events.compactMap { $0.kind as? Exchange }
        return (exchanges.last { $0.id == call }?.serverWords, run)
    }

    private static let answers: [(status: Int, json: JSONValue?, words: String?)] = [
        (403, ["error": "token_expired", "message": "jwt expired"], "jwt expired"),
        (403, ["error": "token_expired"], "token_expired"),
        (400, ["code": "refresh_token_already_used"], "refresh_token_already_used"),
        (
            401, ["errors": [["message": "signed in on another device"]]],
            "signed in on another device"
        ),
        (200, ["ok": false, "error": "token_expired"], "token_expired"),
        (500, ["detail": "no database"], "no database"), (401, ["code": 401], nil), (403, nil, nil),
        (200, ["message": "welcome", "items": []], nil),
    ]

    @Test("are those of a refusal, and of no answer that succeeds", arguments: answers)
    func said(status: Int, json: JSONValue?, words: String?) {
        #expect(Self.words(status, json).words == words)
    }

    @Test("are what a challenge says, or where it redirects to")
    func headers() {
        let challenge = WireHeader(
            "WWW-Authenticate",
            "Bearer error=\"invalid_token\", error_description=\"The token has expired\""
        )
        #expect(
            Self.words(401, headers: [challenge]).words?.contains("The token has expired") == true
        )
        #expect(
            Self.words(302, headers: [WireHeader("Location", "/login?next=1")]).words
                == "to /login?next=1"
        )
    }

    @Test("have no token, whatever the server repeats")
    func hidden() throws {
        let access = TrafficScript.access(1)
        let said = Self.words(403, ["message": .string("the token \(access) has expired")])
        let words = try #require(said.words)
        #expect(words.hasPrefix("the token ") && !words.contains(access))
    }

    @Test("are in the evidence of a finding")
    func evidence() throws {
        let run = Self.words(403, ["error": "token_expired", "message": "jwt expired"]).run
        let finding = try #require(run.findings.first { $0.rule == "expired-sent" })
        #expect(finding.evidence.last?.role.hasSuffix("answered 403: \"jwt expired\"") == true)
    }
}
