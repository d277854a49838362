import Basics
import Testing

@testable import Profiles

@Suite("Login answers")
struct LoginResponseTests {
    @Test(
        "wrong credentials are told in the backend's words, if it has any",
        arguments: [
            Answer(
                "bitbasel",
                401,
                #"{"detail": "Invalid token"}"#,
                #"rejected 401 "Invalid token""#
            ),
            Answer(
                "bitbasel",
                422,
                #"{"detail": [{"msg": "Field required"}, {"msg": "other"}]}"#,
                #"rejected 422 "Field required""#
            ),
            Answer("creatist", 400, "", "rejected 400"),
            Answer(
                "creatist",
                403,
                "<!DOCTYPE html><TITLE lang=en>Go\n away</TITLE>",
                #"rejected 403 "Go away""#
            ),
            Answer("creatist", 401, "nope", #"rejected 401 "nope""#),
            Answer(
                "voltyks",
                200,
                #"{"status": false, "message": "Wrong password", "data": null}"#,
                #"rejected 200 "Wrong password""#
            ),
            Answer("melchat", 200, #"{"success": false}"#, "rejected 200"),
        ]
    )
    func rejected(answer: Answer) throws {
        try check(answer)
    }

    @Test(
        "a failing server and a wrong path are no word on the credentials",
        arguments: [
            Answer("creatist", 503, "", "transient 503"),
            Answer("creatist", 429, #"{"message": "slowly"}"#, #"transient 429 "slowly""#),
            Answer(
                "creatist",
                404,
                "",
                #"client fault 404 "not found: probably a mistake in the profile (POST /auth/login)""#
            ),
            Answer(
                "creatist",
                405,
                "",
                #"client fault 405 "method not allowed: probably a mistake in the profile (POST /auth/login)""#
            ),
            Answer(
                "creatist",
                302,
                "",
                headers: ["Location": "https://elsewhere.example/?token=abc"],
                #"client fault 302 "a redirect, which is never followed with a token: probably a mistake in the profile (base URL or POST /auth/login)""#
            ),
        ]
    )
    func failed(answer: Answer) throws {
        try check(answer)
    }

    @Test(
        "a success that cannot be read is none",
        arguments: [
            Answer(
                "creatist",
                200,
                "",
                #"undecodable 200 "an empty body instead of a JSON object""#
            ),
            Answer(
                "creatist",
                200,
                "[1]",
                #"undecodable 200 "JSON that is not an object instead of a JSON object""#
            ),
            Answer(
                "creatist",
                200,
                "<html>",
                #"undecodable 200 "an HTML page instead of JSON: probably a mistake in the profile (POST /auth/login)""#
            ),
            Answer(
                "creatist",
                200,
                #"{"token": "x"}"#,
                #"undecodable 200 "no access token at access_token in the answer""#
            ),
            Answer(
                "creatist",
                200,
                #"{"error": "server_error", "message": "The database is down"}"#,
                #"undecodable 200 "no access token at access_token in the answer, which says: The database is down""#
            ),
            Answer(
                "creatist",
                204,
                "",
                #"undecodable 204 "an empty body instead of a JSON object""#
            ),
            Answer(
                "melchat",
                200,
                #"{"success": true, "accessToken": ""}"#,
                #"undecodable 200 "no access token at accessToken or token in the answer""#
            ),
        ]
    )
    func undecodable(answer: Answer) throws {
        try check(answer)
    }

    @Test("a file may say which statuses refuse credentials")
    func ownStatuses() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            rejected = [418]
            [login.response]
            access = "access"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        #expect(
            dialect.readLogin(WireResponse(status: 418)) == .rejected(status: 418, message: nil)
        )
        #expect(
            dialect.readLogin(WireResponse(status: 401))
                == .failed(.transient(status: 401, message: nil, retryAfter: nil))
        )
    }

    private func check(_ answer: Answer) throws {
        let dialect = try #require(Dialect.builtIn(named: answer.dialectName))
        let meaning = Meaning(sample: Sample(dialect)).of(dialect.readLogin(answer.response))
        #expect(meaning == answer.meaning)
    }
}
