import Profiles
import Testing

@testable import Basics

@Suite("Server words: short, in one line, without a token")
struct ServerMessageTests {
    private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"

    @Test(
        "what is told",
        arguments: [
            ("Session expired", "Session expired"),
            ("  two\n\n lines\t", "two lines"),
            ("RefreshTokenMismatch", "RefreshTokenMismatch"),
            ("red \u{1B}[31m alert \u{202E}", "red [31m alert"),
            ("token \(token) is bad", "token ‹hidden› is bad"),
            ("id 555dce3b-198f-426d-b0be-92d234747cc3 unknown", "id ‹hidden› unknown"),
            ("bad:abcdEFGHijklMNOPqrst", "‹hidden›"),
            ("", nil), (" \n ", nil),
        ] as [(String, String?)]
    )
    func told(text: String, expected: String?) throws {
        #expect(try message(["message": .string(text)]) == expected)
    }

    @Test("at most 200 characters are told")
    func bounded() throws {
        let told = try message(["message": .string(String(repeating: "no ", count: 100_000))])
        #expect(told?.count == 200)
        #expect(told?.hasSuffix("…") == true)
    }

    @Test("words that hold a part of one of the answer's tokens are not told at all")
    func tokens() throws {
        let token = "correcthorsebatterystaple"
        #expect(try message(["access_token": .string(token), "message": .string(token)]) == nil)
        #expect(
            try message(["refresh_token": .string(token), "message": "the horsebattery is low"])
                == nil
        )
        #expect(
            try message(["refresh_token": .string(token), "message": "the horse is low"])
                == "the horse is low"
        )
    }

    @Test(
        "a token is hidden also where only the other exchange has one",
        arguments: ["accessToken", "token", "refreshToken"]
    )
    func tokensOfTheOtherExchange(key: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let body: JSONValue = [
            "message": "the horsebattery is low",
            "data": .object([key: "correcthorsebatterystaple"]),
        ]
        let response = WireResponse(409, json: body.serialized)
        let expected = ResponseFailure.transient(status: 409, message: nil, retryAfter: nil)
        #expect(dialect.readLogin(response) == .failed(expected))
        #expect(dialect.readRefresh(response) == .failed(expected))
    }

    @Test(
        "the first place that has words counts",
        arguments: [
            (["detail": "a", "error": "b"], "a"),
            (["error": "invalid_grant", "error_description": "Expired"], "Expired"),
            (["message": "", "title": "Unauthorized"], "Unauthorized"),
            (["msg": "Missing CSRF token"], "Missing CSRF token"),
            (["detail": [["msg": "first"], ["msg": "second"]]], "first"),
            (["error": ["code": 5, "message": "inner"]], "inner"),
            (["message": 42], "42"),
        ] as [(JSONValue, String)]
    )
    func places(body: JSONValue, expected: String) throws {
        #expect(try message(body) == expected)
    }

    private func message(_ body: JSONValue) throws -> String? {
        let dialect = try #require(Dialect.builtIn(named: "creatist"))
        let response = WireResponse(503, json: body.serialized)
        guard case .failed(.transient(_, let message, _)) = dialect.readRefresh(response) else {
            return "another class"
        }
        return message
    }
}
