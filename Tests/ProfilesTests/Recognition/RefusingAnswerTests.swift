import Basics
import Testing

@testable import Profiles

@Suite("Answers and messages that refuse a token")
struct RefusingAnswerTests {
    private static func answer(_ status: Int, _ json: String) -> WireResponse {
        WireResponse(
            status: status,
            headers: [WireHeader("Content-Type", "application/json")],
            body: Array(json.utf8)
        )
    }

    private static let access: [(status: Int, body: String)] = [
        (200, "{\"errors\": [{\"extensions\": {\"category\": \"authentication\"}}]}"),
        (200, "{\"data\": null, \"errors\": [{\"extensions\": {\"code\": \"invalid-jwt\"}}]}"),
        (200, "{\"errors\": [{\"errorType\": \"UnauthorizedException\"}]}"),
        (200, "{\"errors\": [{\"extensions\": {\"http\": {\"status\": 401}}}]}"),
        (200, "{\"ok\": false, \"error\": \"token_revoked\"}"),
        (200, "{\"data\": null, \"code\": \"390112\", \"success\": false}"),
        (200, "{\"errcode\": 42001, \"errmsg\": \"access_token expired\"}"),
        (200, "{\"status\": 401, \"error\": \"Invalid access_token\"}"),
        (200, "{\"success\": false, \"errors\": [{\"code\": \"602\"}]}"),
        (400, "{\"error\": {\"code\": 190, \"type\": \"OAuthException\"}}"),
        (401, "[{\"errorCode\": \"INVALID_SESSION_ID\"}]"),
        (403, "{\"error\": \"token_expired\"}"), (400, "{\"error\": \"TokenExpired\"}"),
        (403, "{\"code\": \"token_not_valid\"}"),
    ]

    @Test("an access token is refused by the body, with a profile and without", arguments: access)
    func refused(status: Int, body: String) throws {
        let response = Self.answer(status, body)
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let reading = AnswerReading(
            response,
            to: nil,
            method: "GET",
            by: nil,
            recognition: .builtIn,
            isEmpty: false
        )
        #expect(reading.refuses.contains(.access))
        let decision = dialect.decideProtected(response)
        #expect(decision.meaning == .tokenRejected)
        #expect(decision.rule == (status == 401 ? .expired : .recognized))
    }

    private static let failures: [(status: Int, body: String)] = [
        (
            200,
            "{\"data\": {\"a\": 1}, \"errors\": [{\"extensions\": {\"code\": \"UNAUTHENTICATED\"}}]}"
        ),
        (200, "{\"ok\": false, \"error\": \"channel_not_found\"}"),
        (200, "{\"ok\": true, \"error\": \"\"}"),
        (200, "{\"success\": false, \"code\": \"000606\", \"message\": \"no warehouse\"}"),
        (200, "{\"errcode\": 0}"), (200, "{\"errcode\": 45009}"), (200, "{\"status\": 401}"),
        (200, "{\"error\": \"token_expired\"}"), (400, "{\"error\": {\"code\": 100}}"),
        (403, "{\"error\": \"forbidden\"}"), (400, "{\"error\": \"invalid_request\"}"),
        (400, "{\"code\": \"coupon_expired\"}"), (200, "[]"), (200, "{\"items\": []}"),
    ]

    @Test("an answer that fails for another reason refuses no token", arguments: failures)
    func failure(status: Int, body: String) throws {
        let response = Self.answer(status, body)
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let decision = dialect.decideProtected(response)
        #expect(decision.meaning != .tokenRejected && decision.rule != .recognized)
    }

    private static let calls: [(status: Int, meaning: ProtectedResponse)] = [
        (0, .accepted), (16, .tokenRejected), (7, .inconclusive(retryAfter: nil)),
        (14, .inconclusive(retryAfter: nil)),
    ]

    @Test("a call of gRPC has failed by its own status, whatever that of HTTP is", arguments: calls)
    func grpc(status: Int, meaning: ProtectedResponse) throws {
        let response = WireResponse(
            status: 200,
            headers: [
                WireHeader("Content-Type", "application/grpc"),
                WireHeader("grpc-status", String(status)),
            ]
        )
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        #expect(dialect.readProtected(response) == meaning)
        let reading = AnswerReading(
            response,
            to: .protected(nil),
            method: "POST",
            by: Shared(dialect),
            recognition: .builtIn,
            isEmpty: true
        )
        #expect(reading.meaning == .protected(meaning))
        #expect((reading.rule == .neverTerminal) == (status == 14))
        #expect(reading.refuses.contains(.access) == (meaning == .tokenRejected))
    }

    @Test("XML refuses a token as JSON does, and is no page")
    func xml() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        func response(_ code: String, status: Int = 403) -> WireResponse {
            let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code></Error>"
            return WireResponse(status, json: body, headers: ["Content-Type": "application/xml"])
        }
        #expect(dialect.readProtected(response("ExpiredToken")) == .tokenRejected)
        let other = ProtectedResponse.inconclusive(retryAfter: nil)
        #expect(dialect.readProtected(response("AccessDenied")) == other)
        // A gateway's page of errors is no refusal in the backend's format.
        let gateway = try Dialect.sketch().readRefresh(response("AccessDenied", status: 401))
        #expect(gateway == .refused(Refusal(status: 401, message: nil, isBare: true)))
    }

    @Test("a shape that a user adds is one for the client and for the traffic of an app")
    func added() throws {
        var dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let response = Self.answer(403, "{\"error\": \"badge_lost\"}")
        #expect(dialect.readProtected(response) == .inconclusive(retryAfter: nil))
        dialect.extendedRecognition = try Recognition(
            adding: "[errors]\nended = \"badge_lost\"",
            file: "recognition.toml"
        )
        #expect(dialect.readProtected(response) == .tokenRejected)
        let reading = AnswerReading(
            response,
            to: nil,
            method: "GET",
            by: Shared(dialect),
            recognition: dialect.recognition,
            isEmpty: false
        )
        #expect(reading.refuses.contains(.access))
    }

    private static let messages: [(text: String, isRefusal: Bool)] = [
        (
            "{\"event\":\"phx_reply\",\"payload\":{\"status\":\"error\",\"response\":"
                + "{\"reason\":\"Token has expired 102 seconds ago\"}}}", true
        ),
        (
            "{\"event\":\"phx_reply\",\"payload\":{\"status\":\"error\",\"response\":"
                + "{\"reason\":\"unmatched topic\"}}}", false
        ),
        ("{\"event\":\"phx_reply\",\"payload\":{\"status\":\"ok\",\"response\":{}}}", false),
        ("44{\"message\":\"invalid token\"}", true), ("44{\"message\":\"room is full\"}", false),
        ("42[\"message\",\"the token\"]", false),
        ("{\"error\":{\"code\":109,\"message\":\"token expired\"}}", true),
        ("{\"error\":{\"code\":109,\"message\":\"limit\"}}", false),
        ("{\"type\":\"connection_error\",\"payload\":{\"message\":\"Unauthorized\"}}", true),
        ("{\"type\":\"connection_error\",\"payload\":{\"message\":\"too many\"}}", false),
        (
            "{\"event\":\"system\",\"payload\":{\"status\":\"error\",\"message\":\"Token has expired\"}}",
            true
        ),
        ("{\"event\":\"system\",\"payload\":{\"status\":\"ok\",\"message\":\"the token\"}}", false),
        ("{\"action\":9,\"error\":{\"code\":40142,\"statusCode\":401}}", true),
        ("{\"action\":9,\"error\":{\"code\":40160}}", false),
        ("{\"status\":\"FAIL\",\"error\":{\"status_code\":401}}", true),
        ("{\"status\":\"FAIL\",\"error\":{\"status_code\":404}}", false),
        ("{\"type\":\"disconnect\",\"reason\":\"unauthorized\",\"reconnect\":false}", true),
        ("{\"type\":\"disconnect\",\"reason\":\"server_restart\"}", false),
        ("42[\"unauthorized\",{\"message\":\"jwt expired\"}]", true), ("44\"invalid token\"", true),
        ("44\"room is full\"", false),
        ("{\"command\":\"ERROR\",\"headers\":{\"message\":\"Bad CONNECT\"}}", true),
        ("{\"command\":\"ERROR\",\"headers\":{\"message\":\"no such queue\"}}", false),
    ]

    @Test("a message of a socket refuses a token only if it says so", arguments: messages)
    func message(text: String, isRefusal: Bool) {
        let start = text.utf8.firstIndex { "{[".utf8.contains($0) } ?? text.startIndex
        let json = JSONValue(parsing: Array(text[start...].utf8))
        #expect(Recognition.builtIn.refusals.isRefusal(message: text, json) == isRefusal, "\(text)")
    }
}
