import Basics
import Profiles
import Testing

private let page = "<html><head><title>Sign in to Wi-Fi</title></head></html>"

private let headerLost =
    "the Authorization header did not arrive, see what removes it on the way, such as a proxy or a "
    + "redirect"

@Suite("Terminal answers: which answers to a refresh end a session")
struct TerminalResponseTests {
    @Test(
        "these do",
        arguments: [
            Answer(
                "voltyks",
                401,
                #"{"status": false, "message": "RefreshTokenMismatch", "data": null}"#,
                #"refused 401 "RefreshTokenMismatch""#
            ),
            Answer(
                "voltyks",
                200,
                #"{"status": false, "message": "refresh token mismatch", "data": null}"#,
                #"refused 200 "refresh token mismatch""#
            ),
            Answer(
                "voltyks",
                400,
                #"{"status": false, "message": "Invalid refresh token format"}"#,
                #"refused 400 "Invalid refresh token format""#
            ),
            Answer(
                "voltyks",
                404,
                #"{"status": false, "message": "INVALIDREFRESHTOKENFORMAT"}"#,
                #"refused 404 "INVALIDREFRESHTOKENFORMAT""#
            ),
            Answer(
                "voltyks",
                200,
                #"{"status": false, "message": "Database is busy"}"#,
                #"refused 200 "Database is busy""#
            ),
            Answer("voltyks", 200, #"{"status": false, "data": null}"#, "refused 200"),
            Answer("voltyks", 200, #"{"status": true, "data": null}"#, "refused 200"),
            Answer(
                "voltyks",
                200,
                #"{"status": true, "message": "ok"}"#,
                #"refused 200 "ok""#
            ),
            Answer("voltyks", 404, #"{"title": "Not Found"}"#, #"refused 404 "Not Found""#),
            Answer(
                "bitbasel",
                401,
                #"{"detail": "Invalid or expired refresh token"}"#,
                #"refused 401 "Invalid or expired refresh token""#
            ),
            Answer("bitbasel", 401, #"{"detail": null}"#, "refused 401"),
            Answer("melchat", 401, #"{"success": false}"#, "refused 401"),
            Answer(
                "melchat",
                401,
                #"{"error": "revoked"}"#,
                #"refused 401 "revoked""#
            ),
            Answer("melchat", 400, #"{"success": false, "message": "no"}"#, #"refused 400 "no""#),
            Answer("melchat", 403, #"{"success": false}"#, "refused 403"),
            Answer("creatist", 401, #"{"detail": "expired"}"#, #"refused 401 "expired""#),
            Answer("creatist", 401, "no", #"refused 401 "no""#),
            Answer("creatist", 401, "", "refused 401"),
            Answer("creatist", 403, #"{"detail": "no"}"#, #"refused 403 "no""#),
            Answer("creatist", 400, "[]", "refused 400"),
            Answer("intellipost", 401, #"{"error": "no"}"#, #"refused 401 "no""#),
            Answer("intellipost", 403, #"{"error": "no"}"#, #"refused 403 "no""#),
            Answer("intellipost", 400, #"{"error": "no"}"#, #"refused 400 "no""#),
            Answer("intellipost", 404, page, #"refused 404 "Sign in to Wi-Fi""#),
            Answer("intellipost", 410, "", "refused 410"),
            Answer("intellipost", 422, "[]", "refused 422"),
            Answer("intellipost", 401, "", "refused 401"),
        ]
    )
    func terminal(answer: Answer) throws {
        try check(answer)
    }

    @Test(
        "these do when they come twice: the body is not of the dialect's shape",
        arguments: [
            Answer("bitbasel", 401, "", "bare refusal 401"),
            Answer("bitbasel", 401, #"{"message": "proxy"}"#, #"bare refusal 401 "proxy""#),
            Answer("bitbasel", 401, page, #"bare refusal 401 "Sign in to Wi-Fi""#),
            Answer("melchat", 401, "", "bare refusal 401"),
            Answer("melchat", 401, page, #"bare refusal 401 "Sign in to Wi-Fi""#),
        ]
    )
    func bare(answer: Answer) throws {
        try check(answer)
    }

    @Test(
        "these do not",
        arguments: [
            Answer(
                "voltyks",
                401,
                #"{"status": false, "message": "Refresh token not found"}"#,
                "client fault 401 \"Refresh token not found: \(headerLost)\""
            ),
            Answer(
                "voltyks",
                200,
                #"{"status": false, "message": "Refresh token not found", "data": null}"#,
                "client fault 200 \"Refresh token not found: \(headerLost)\""
            ),
            Answer("voltyks", 503, #"{"data": null}"#, "transient 503"),
            Answer("voltyks", 401, "", "transient 401"),
            Answer("voltyks", 403, page, #"transient 403 "Sign in to Wi-Fi""#),
            Answer(
                "voltyks",
                429,
                #"{"status": false, "message": "RefreshTokenMismatch"}"#,
                #"transient 429 "RefreshTokenMismatch""#
            ),
            Answer(
                "voltyks",
                500,
                #"{"status": false, "message": "RefreshTokenMismatch"}"#,
                #"transient 500 "RefreshTokenMismatch""#
            ),
            Answer(
                "bitbasel",
                422,
                #"{"detail": [{"loc": ["body"], "msg": "Field required"}]}"#,
                #"client fault 422 "Field required""#
            ),
            Answer(
                "bitbasel",
                403,
                #"{"detail": "Not authenticated"}"#,
                #"transient 403 "Not authenticated""#
            ),
            Answer(
                "bitbasel",
                404,
                #"{"detail": "Not Found"}"#,
                #"client fault 404 "not found: probably a mistake in the profile (POST /auth/refresh)""#
            ),
            Answer("bitbasel", 503, page, #"transient 503 "Sign in to Wi-Fi""#),
            Answer("melchat", 500, #"{"success": false}"#, "transient 500"),
            Answer("melchat", 429, #"{"success": false}"#, "transient 429"),
            Answer(
                "melchat",
                404,
                #"{"success": false}"#,
                #"client fault 404 "not found: probably a mistake in the profile (POST /api/auth/refresh)""#
            ),
            Answer("melchat", 200, #"{"success": false}"#, "transient 200"),
            Answer("melchat", 403, page, #"transient 403 "Sign in to Wi-Fi""#),
            Answer("melchat", 400, #"{"success": true}"#, "client fault 400"),
            Answer("creatist", 408, #"{"detail": "no"}"#, #"transient 408 "no""#),
            Answer("creatist", 503, #"{"detail": "no"}"#, #"transient 503 "no""#),
            Answer("intellipost", 408, #"{"error": "no"}"#, #"transient 408 "no""#),
            Answer("intellipost", 429, #"{"error": "no"}"#, #"transient 429 "no""#),
            Answer("intellipost", 502, #"{"error": "no"}"#, #"transient 502 "no""#),
        ]
    )
    func notTerminal(answer: Answer) throws {
        try check(answer)
    }

    @Test("no dialect ends a session by 429 or 5xx", arguments: Dialect.builtIn())
    func neverTerminal(dialect: Dialect) {
        for status in [429] + Array(500...599) {
            for cause in RefreshRefusalCause.allCases {
                var response = dialect.answer(.refreshRefused(cause))
                response.status = status
                guard case .failed(.transient) = dialect.readRefresh(response) else {
                    Issue.record("\(status) after \(cause) is not transient")
                    continue
                }
            }
        }
    }

    @Test("a rule may let its status alone decide")
    func onceIsEnough() throws {
        let dialect = try Dialect.sketch(terminal: "status = 401\nempty_body = \"once\"")
        let answer = dialect.readRefresh(WireResponse(status: 401))
        #expect(answer == .refused(Refusal(status: 401, message: nil)))
    }

    @Test("a rule may end a session for what an answer lacks")
    func missing() throws {
        let dialect = try Dialect.sketch(terminal: "missing = \"data.token\"")
        let answers = [
            (200, "{}", true), (200, #"{"data": {"token": null}}"#, true),
            (400, #"{"data": null}"#, true), (400, #"{"data": {"token": ""}}"#, false),
            (400, "", false), (400, "[]", false), (503, "{}", false),
        ]
        for (status, body, isRefused) in answers {
            let answer = dialect.readRefresh(WireResponse(status, json: body))
            let isRead: Bool = if case .refused = answer { true } else { false }
            #expect(isRead == isRefused, "\(status) \(body): \(answer)")
        }
    }

    @Test(
        "a rule may say that the request came without its token: the place is named",
        arguments: [
            ("bearer", "the Authorization header did not arrive"),
            ("header:X-Refresh", "the header X-Refresh did not arrive"),
            ("cookie:rt", "the cookie rt did not arrive"),
            ("json:refresh", "the backend expects the token elsewhere than in the body's refresh"),
            ("form:refresh", "the backend expects the token elsewhere than in the form's refresh"),
        ]
    )
    func missingToken(place: String, expected: String) throws {
        let rule = """
            status = 401

            [[refresh.client_faults]]
            key = "error"
            equals = "no token"
            token_missing = true
            """
        let dialect = try Dialect.sketch(
            refresh: "token_in = \"\(place)\"",
            terminal: rule
        )
        let answer = dialect.readRefresh(WireResponse(400, json: #"{"error": "no token"}"#))
        guard case .failed(.clientFault(400, let message?)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(message.hasPrefix("no token: \(expected)"))
    }

    @Test("a class of statuses ends a session with each of them but the excepted ones")
    func statusClass() throws {
        let dialect = try Dialect.sketch(
            terminal: "status = \"4xx\"\nexcept = [404, 408, 429]\nempty_body = \"once\""
        )
        for status in 300...599 {
            let answer = dialect.readRefresh(WireResponse(status: status))
            let isRefused: Bool = if case .refused = answer { true } else { false }
            let isNamed = (400...499).contains(status) && ![404, 408, 429].contains(status)
            #expect(isRefused == isNamed, "\(status)")
        }
    }

    @Test(
        "a rule of words needs them, unless an empty answer is allowed to count twice",
        arguments: [("", nil), ("empty_body = \"twice\"", true)] as [(String, Bool?)]
    )
    func emptyAnswer(line: String, isBare: Bool?) throws {
        let rule = "status = [400, 401]\nkey = \"error\"\nequals = \"invalid_grant\"\n\(line)"
        let dialect = try Dialect.sketch(terminal: rule)
        let answer = dialect.readRefresh(WireResponse(status: 400))
        let expected: RefreshResponse =
            isBare == nil
            ? .failed(.clientFault(status: 400, message: nil))
            : .refused(Refusal(status: 400, message: nil, isBare: true))
        #expect(answer == expected)
        let other = WireResponse(400, json: #"{"error": "invalid_request"}"#)
        #expect(
            dialect.readRefresh(other)
                == .failed(.clientFault(status: 400, message: "invalid_request"))
        )
    }

    @Test(
        "an error in a success without tokens is what it says",
        arguments: [
            Answer("oauth2", 200, #"{"error": "invalid_grant"}"#, #"refused 200 "invalid_grant""#),
            Answer(
                "oauth2",
                200,
                #"{"error": "invalid_grant", "error_description": "Token has been revoked"}"#,
                #"refused 200 "Token has been revoked""#
            ),
            Answer("oauth2", 201, #"{"error": "Invalid_Grant"}"#, #"refused 201 "Invalid_Grant""#),
            Answer(
                "oauth2",
                200,
                #"{"error": "invalid_client"}"#,
                #"client fault 200 "invalid_client""#
            ),
            Answer(
                "oauth2",
                200,
                #"{"ok": false, "error": "invalid_refresh_token"}"#,
                #"bare refusal 200 "invalid_refresh_token""#
            ),
            Answer(
                "oauth2",
                200,
                #"{"error": "bad_refresh_token"}"#,
                #"refused 200 "bad_refresh_token""#
            ),
            Answer(
                "oauth2",
                200,
                #"{"success": false, "message": "Refresh token expired"}"#,
                #"refused 200 "Refresh token expired""#
            ),
            Answer(
                "oauth2",
                200,
                #"{"code": 401, "message": "Token is not valid"}"#,
                #"bare refusal 200 "Token is not valid""#
            ),
            Answer(
                "oauth2",
                200,
                #"{"data": null, "errors": [{"message": "The refresh token has expired"}]}"#,
                #"refused 200 "The refresh token has expired""#
            ),
            Answer(
                "oauth2",
                200,
                #"{"data": null, "errors": [{"message": "Session not found"}]}"#,
                #"bare refusal 200 "Session not found""#
            ),
        ]
    )
    func errorInSuccess(answer: Answer) throws {
        try check(answer)
    }

    @Test(
        "what a success without tokens says of other things refuses no token",
        arguments: [
            #"{"error": "server_error"}"#, #"{"error": "temporarily_unavailable"}"#,
            #"{"success": false, "message": "Try again later"}"#, #"{"message": "ok"}"#,
            #"{"success": true}"#, #"{"status": "error", "message": "Device token is invalid"}"#,
            #"{"data": null, "errors": [{"message": "Database is busy"}]}"#, "{}",
            #"{"error": ""}"#, #"{"error": null}"#, #"["invalid_grant"]"#, "invalid_grant",
        ]
    )
    func otherErrorInSuccess(body: String) throws {
        let dialect = try Dialect.oauth2()
        guard case .failed(.undecodable) = dialect.readRefresh(WireResponse(200, json: body)) else {
            Issue.record("\(dialect.readRefresh(WireResponse(200, json: body)))")
            return
        }
    }

    @Test("an error beside tokens refuses nothing")
    func errorBesideTokens() throws {
        let body = #"{"error": "invalid_grant", "access_token": "a", "token_type": "Bearer"}"#
        #expect(try Dialect.oauth2().readRefresh(WireResponse(200, json: body)).tokens != nil)
    }

    @Test(
        "a rule of the profile that names an error applies to a success, and one of a flag does not"
    )
    func namedError() throws {
        let dialect = try Dialect.sketch(
            terminal: """
                status = [400, 401]
                key = "code"
                equals = "SIGNED_OUT"
                cause = "revoked"

                [[refresh.terminal]]
                status = 400
                key = "success"
                equals = false
                """
        )
        let named = dialect.decideRefresh(WireResponse(200, json: #"{"code": "SIGNED_OUT"}"#))
        #expect(named.meaning == .refused(Refusal(status: 200, message: nil, causes: [.revoked])))
        guard case .terminal(let condition) = named.rule else {
            Issue.record("\(named.rule)")
            return
        }
        #expect(condition.statuses.isEmpty)
        let flag = dialect.readRefresh(WireResponse(200, json: #"{"success": false}"#))
        guard case .failed(.undecodable) = flag else {
            Issue.record("\(flag)")
            return
        }
    }

    private func check(_ answer: Answer) throws {
        let dialect = try #require(Dialect.builtIn(named: answer.dialectName))
        let meaning = Meaning(sample: Sample(dialect)).of(dialect.readRefresh(answer.response))
        #expect(meaning == answer.meaning)
    }
}
