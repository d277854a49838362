import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("Traffic by what is recognized")
struct RecognizedTrafficTests {
    // MARK: - Names of the user

    @Test("a header of the user's file brings and presents tokens, and nothing does without it")
    func header() throws {
        var script = TrafficScript()
        let login = script.send("POST", "/v3/auth/tokens", json: ["password": "correct"])
        script.finish(
            login,
            201,
            .object([:]),
            headers: [WireHeader("X-Acme-Pass", TrafficScript.access(1))]
        )
        let call = script.send(
            "GET",
            "/servers",
            headers: [WireHeader("X-Keystone", TrafficScript.access(1))]
        )
        script.finish(call, 401, .object([:]))
        let recognition = try Recognition(
            adding: "headers.access = [\"Acme-Pass\", \"Keystone\"]",
            file: Recognition.fileName
        )
        let run = ObservationRun(script, recognition: recognition, after: 0)
        #expect(run.machine.traffic.exchange(login)?.outcome == .issued)
        #expect(run.machine.traffic.exchange(call)?.outcome == .tokenRefused)
        let without = ObservationRun(script, after: 0)
        #expect(without.machine.traffic.graph.families.isEmpty)
    }

    @Test(
        "a lifetime has the unit of its name",
        arguments: [
            ("expires_in_ms", 300_000, "milliseconds:expires_in_ms"), ("expiresInMinutes", 5, nil),
            ("expires_in_mins", 5, nil),
        ] as [(String, Int64, String?)]
    )
    func units(key: String, life: Int64, field: String?) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        let pair: JSONValue = [
            "access_token": .string(TrafficScript.access(1)), key: .integer(life),
        ]
        script.finish(login, 200, pair)
        let run = ObservationRun(script, after: 0)
        let issued = try #require(run.machine.traffic.exchange(login)?.answer?.issued.first)
        #expect(issued.expiry?.seconds == 300)
        #expect(issued.expiryField == field)
    }

    private static let ends: [(text: String, seconds: Double?)] = [
        ("2025-11-21T14:05:00Z", 300), ("2025-11-21T15:05:00+01:00", 300),
        ("2025-11-21T14:05:00", nil),
    ]

    @Test(
        "an end with a zone is one, and one without a zone may be any of several",
        arguments: ends
    )
    func end(text: String, seconds: Double?) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        let pair: JSONValue = [
            "access_token": .string(TrafficScript.access(1)), "expires_at": .string(text),
        ]
        script.finish(login, 200, pair)
        let run = ObservationRun(script, after: 0)
        let issued = try #require(run.machine.traffic.exchange(login)?.answer?.issued.first)
        #expect(issued.expiry?.seconds.rounded() == seconds)
        #expect(issued.expiryField == "iso8601:expires_at")
    }

    private static let organizations: [(claim: String, file: String, isFound: Bool)] = [
        ("org_id", "", false), ("Org-ID", "", true), ("workspace", "", true),
        ("workspace", "claims.organization = \"workspace\"", false),
    ]

    @Test("a renewal for another organization may bring fewer rights", arguments: organizations)
    func organization(claim: String, file: String, isFound: Bool) throws {
        func claims(_ scopes: String, of organization: String) -> JSONValue {
            .object(["sub": "ada", "scope": .string(scopes), claim: .string(organization)])
        }
        var script = TrafficScript()
        script.logIn(claims: claims("read write", of: "first"))
        script.wait(290)
        let renewal = script.askRefresh(1)
        script.finish(renewal, 200, TrafficScript.pair(2, claims: claims("read", of: "second")))
        let recognition = try Recognition(adding: file, file: Recognition.fileName)
        let run = ObservationRun(script, recognition: recognition, after: 0)
        #expect(run.findings.contains { $0.rule == "claims-changed" } == isFound, "\(run.summary)")
    }

    // MARK: - Refusals with success

    private static let unauthenticated: JSONValue = [
        "errors": [["message": "expired", "extensions": ["code": "UNAUTHENTICATED"]]],
        "data": .null,
    ]
    private static let refusals: [(body: JSONValue, code: String?)] = [
        (unauthenticated, "UNAUTHENTICATED"),
        (["ok": false, "error": "token_expired"], "token_expired"),
        (["errcode": "M_UNKNOWN_TOKEN"], "M_UNKNOWN_TOKEN"),
    ]

    @Test(
        "an access token that a body refuses is refused, and the app that renews is in order",
        arguments: refusals
    )
    func refusedAccess(body: JSONValue, code: String?) {
        var script = TrafficScript()
        script.logIn()
        script.wait(301)
        let call = script.send("POST", "/graphql", bearer: TrafficScript.access(1), json: ["q": 1])
        script.finish(call, 200, body)
        script.renew(1)
        script.call(2)
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.exchange(call)?.outcome == .tokenRefused)
        #expect(run.machine.traffic.exchange(call)?.answer?.errorCode == code)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    private static let twins: [JSONValue] = [
        ["errors": [["extensions": ["code": "UNAUTHENTICATED"]]], "data": ["me": "ada"]],
        ["errors": [["extensions": ["code": "BAD_USER_INPUT"]]], "data": .null],
        ["ok": false, "error": "channel_not_found"],
        ["errcode": "M_FORBIDDEN"],
    ]

    @Test("any other error with success accepts the access token", arguments: twins)
    func acceptedAccess(body: JSONValue) {
        var script = TrafficScript()
        script.logIn()
        for _ in 1...6 {
            script.wait(1)
            let call = script.send(
                "POST",
                "/graphql",
                bearer: TrafficScript.access(1),
                json: ["q": 1]
            )
            script.finish(call, 200, body)
        }
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.exchange(2)?.outcome == .accepted)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test(
        "a refresh token that a code refuses for good ends the session, with any status",
        arguments: [200, 400, 404],
        ["bad_refresh_token", "invalid_grant"]
    )
    func refusedRefresh(status: Int, code: String) {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let refresh = script.askRefresh(1)
        script.finish(refresh, status, ["error": .string(code)])
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.exchange(refresh)?.outcome == .refreshRefused(isFinal: true))
        #expect(run.machine.traffic.exchange(refresh)?.answer?.errorCode == code)
        #expect(run.machine.traffic.graph.families[1]?.end != nil)
    }

    @Test("a refresh that fails with another code leaves the session alive", arguments: [200, 404])
    func otherRefresh(status: Int) {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let refresh = script.askRefresh(1)
        script.finish(refresh, status, ["error": "invalid_request"])
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.graph.families[1]?.end == nil)
    }
}
