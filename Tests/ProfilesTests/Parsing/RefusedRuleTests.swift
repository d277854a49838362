import Basics
import Testing

@testable import Profiles

@Suite("Answers that refuse an access token in the profile's own way")
struct RefusedRuleTests {
    private static let rules = """
        [[TABLE.refused]]
        status = 200
        key = "error.code"
        equals = ["TOKEN_EXPIRED", 4012]

        [[TABLE.refused]]
        header = "X-Auth-Error: expired"

        [[TABLE.refused]]
        status = 403
        words = ["session has ended", "please sign in"]

        [[TABLE.refused]]
        status = "4xx"
        except = 429
        key = "reason"
        equals = "mfa_required"
        renew = false
        """

    private static func dialect() throws -> Dialect {
        try Dialect.sketch(
            more: """
                [protected]
                request = "GET /me"
                \(rules.replacing("TABLE", with: "protected"))
                [feed]
                path = "/feed"
                token_in = "bearer"
                \(rules.replacing("TABLE", with: "feed"))
                """
        )
    }

    /// An answer, and its meaning.
    struct Case: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var headers: [String: String]
        var code: DecidingRule.Code

        init(
            _ status: Int,
            _ body: String,
            headers: [String: String] = [:],
            _ code: DecidingRule.Code
        ) {
            self.status = status
            self.body = body
            self.headers = headers
            self.code = code
        }

        var testDescription: String { "\(status) \(body) \(headers)" }
    }

    @Test(
        "each condition of a rule has to be met, and the first rule decides",
        arguments: [
            Case(200, #"{"error": {"code": "token_expired"}}"#, .refused),
            Case(200, #"{"error": {"code": 4012}}"#, .refused),
            Case(200, #"{"error": {"code": "OTHER"}}"#, .success),
            Case(200, "{}", headers: ["x-auth-error": "Token Expired"], .refused),
            Case(200, "{}", headers: ["X-Auth-Error": "none"], .success),
            Case(403, "<p>Please sign in again.</p>", .refused),
            Case(403, "<p>Not yours.</p>", .unlisted),
            Case(400, #"{"reason": "mfa_required"}"#, .notRenewable),
            Case(401, #"{"reason": "mfa_required"}"#, .notRenewable),
            Case(401, "{}", .expired),
            Case(503, #"{"error": {"code": "TOKEN_EXPIRED"}}"#, .neverTerminal),
            Case(
                401,
                "{}",
                headers: [
                    "WWW-Authenticate": #"Bearer error="insufficient_scope""#,
                    "X-Auth-Error": "expired",
                ],
                .notExpiredError
            ),
        ]
    )
    func protected(example: Case) throws {
        let response = WireResponse(example.status, json: example.body, headers: example.headers)
        let decision = try Self.dialect().decideProtected(response)
        #expect(decision.rule.code == example.code)
        let isRefused = [.refused, .expired].contains(example.code)
        #expect((decision.meaning == .tokenRejected) == isRefused)
    }

    @Test(
        "the opening of a feed, too",
        arguments: [
            Case(200, #"{"error": {"code": "TOKEN_EXPIRED"}}"#, .refused),
            Case(403, "session has ended", .refused),
            Case(401, #"{"reason": "mfa_required"}"#, .notRenewable),
            Case(401, "", .status),
            Case(500, "session has ended", .neverTerminal),
            Case(
                401,
                "",
                headers: ["WWW-Authenticate": #"Bearer error="insufficient_claims""#],
                .notExpiredError
            ),
        ]
    )
    func feed(example: Case) throws {
        let response = WireResponse(example.status, json: example.body, headers: example.headers)
        #expect(try Self.dialect().feedRefusalRule(response).code == example.code)
    }

    @Test(
        "a challenge that no token answers is kept from a renewal, with what it asks for",
        arguments: [
            (
                #"Bearer error="insufficient_user_authentication", acr_values="phr", max_age="300""#,
                "insufficient_user_authentication acr_values=phr max_age=300"
            ),
            (#"Bearer error="insufficient_scope", scope="a b""#, "insufficient_scope scope=a b"),
            (
                #"Bearer realm="", error="insufficient_claims", claims="e30=""#,
                "insufficient_claims"
            ),
        ]
    )
    func challenges(challenge: String, demand: String) throws {
        let response = WireResponse(401, json: "", headers: ["WWW-Authenticate": challenge])
        let dialect = try Self.dialect()
        let decision = dialect.decideProtected(response)
        #expect(decision.meaning == .inconclusive(retryAfter: nil))
        #expect(
            ResponseEvidence(response, decidedBy: decision.rule, hiding: .none).demand == demand
        )
        // The healthy twin.
        let twin = ["WWW-Authenticate": #"Bearer error="invalid_token""#]
        #expect(
            dialect.readProtected(WireResponse(401, json: "", headers: twin)) == .tokenRejected
        )
    }

    @Test(
        "the line, the key and the way out of a mistake are named",
        arguments: [
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /me\"\n"
                    + "[[protected.refused]]\nrenew = false",
                "mine.toml:10: protected.refused.0: a rule for every answer, "
                    + "expected status, key, missing, header or words"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /me\"\n"
                    + "[[protected.refused]]\nstatus = 503",
                "mine.toml:11: protected.refused.0.status: 503 is never a verdict on a token"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /me\"\n"
                    + "[[protected.refused]]\nheader = \"X-Error:\"",
                "mine.toml:11: protected.refused.0.header: nothing follows the colon, "
                    + "expected NAME, or NAME: TEXT"
            ),
            Mistake(
                Mistake.soundLogin + "[feed]\npath = \"/feed\"\ntoken_in = \"bearer\"\n"
                    + "[[feed.refused]]\nwords = [\"no\"]",
                "mine.toml:12: feed.refused.0.words.0: found \"no\", expected 3 to 200 bytes"
            ),
        ]
    )
    func mistakes(mistake: Mistake) { mistake.expectNamed() }
}
