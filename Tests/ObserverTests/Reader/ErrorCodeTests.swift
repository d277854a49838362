import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("Words of a protocol are no secrets")
struct ErrorCodeTests {
    private static let description = "The refresh token is not good for this client web"

    private static func answer(
        code: JSONValue,
        at key: String = "code",
        status: Int = 400,
        form: String = "refresh_token=\(TrafficScript.refresh(1))&client_id=web"
    ) throws -> AnswerFacts {
        var script = TrafficScript()
        script.logIn()
        let refresh = script.send("POST", "/token?grant_type=refresh_token", form: form)
        script.finish(
            refresh,
            status,
            .object([key: code, "message": .string(description)])
        )
        let run = ObservationRun(script, after: 0)
        return try #require(run.machine.traffic.exchange(refresh)?.answer)
    }

    private static let codes = [
        "refresh_token_already_used", "refresh_token_not_found", "bad_refresh_token",
        "invalid_refresh_token", "token_not_valid", "web_client_unknown", "E401", "AADSTS70008",
        "390114", "invalid_grant",
    ]

    @Test("a code that has a word of the request is shown", arguments: codes)
    func words(code: String) throws {
        for key in ["code", "error", "errcode"] {
            let answer = try Self.answer(code: .string(code), at: key)
            #expect(answer.errorCode == code)
            #expect(answer.errorKey == key)
            let evidence = try #require(answer.evidence)
            #expect(evidence.body.contains(code), "\(evidence.body)")
            #expect(evidence.body.contains(Self.description), "\(evidence.body)")
        }
    }

    @Test("a number is a code, unless it is the status again")
    func numbers() throws {
        #expect(try Self.answer(code: 390_114).errorCode == "390114")
        #expect(try Self.answer(code: 400).errorCode == nil)
    }

    @Test(
        "a code that has a secret of the request, or is one, is not shown",
        arguments: [
            TrafficScript.refresh(1), "error_\(TrafficScript.refresh(1))", "generation",
            "hunterhunter", "hunterhunter_is_wrong",
        ]
    )
    func secrets(code: String) throws {
        let answer = try Self.answer(
            code: .string(code),
            form: "refresh_token=\(TrafficScript.refresh(1))&password=hunterhunter"
                + "&note=generation"
        )
        #expect(answer.errorCode == nil)
        #expect(answer.shape?.contains(code) != true)
    }

    private static let shapes: [(status: Int, body: JSONValue, shape: String?)] = [
        (
            403, ["error": "expired", "message": "It ended 35 s ago"],
            "403 json error=expired message=It ended ## s ago"
        ),
        (200, ["items": [], "message": "Hello Ada"], nil),
        (200, ["ok": false, "error": "token_revoked"], "200 json error=token_revoked ok=false"),
        (200, ["errors": [["message": "No session"]]], "200 json errors.message=No session"),
        (503, ["error": "down"], nil),
    ]

    @Test("an answer that fails has a shape, and one that succeeds has none", arguments: shapes)
    func shape(status: Int, body: JSONValue, shape: String?) throws {
        var script = TrafficScript()
        script.logIn()
        let call = script.send("GET", "/items", bearer: TrafficScript.access(1))
        script.finish(call, status, body)
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.exchange(call)?.answer?.shape == shape)
    }

    @Test("an answer has the scopes that it states", arguments: ["read write", "read,write"])
    func scopes(text: String) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(
            login,
            200,
            ["access_token": .string(TrafficScript.access(1)), "scope": .string(text)]
        )
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.exchange(login)?.answer?.scopes == ["read", "write"])
    }

    @Test("what asks for the user with the access token is a protected request")
    func userinfo() throws {
        var script = TrafficScript()
        script.logIn()
        let call = script.call(1, "/oauth/userinfo", 401)
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.exchange(call)?.purpose == .protected)
        #expect(run.machine.traffic.exchange(call)?.outcome == .tokenRefused)
    }
}
