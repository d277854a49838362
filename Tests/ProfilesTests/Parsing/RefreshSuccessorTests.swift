import Basics
import Testing

@testable import Profiles

@Suite("Answers: a new refresh token is kept whatever else is wrong with its answer")
struct RefreshSuccessorTests {
    private static let old = "Kq3vX8mWz1Lt6RbYp0Ds"
    private static let new = "Zt7hN2cJf5Qg9UeVa4Mo"
    private static let known = KnownSecrets().adding([Secret(old)])

    /// An answer, and whether its refresh token is kept.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var status: Int
        var body: String
        var cookie: String?
        var isKept: Bool

        init(_ name: String, _ status: Int, _ body: String, cookie: String? = nil, _ isKept: Bool) {
            self.name = name
            self.status = status
            self.body = body
            self.cookie = cookie
            self.isKept = isKept
        }

        var testDescription: String { name }
    }

    @Test(
        "in a body",
        arguments: [
            Case("no access token", 200, #"{"refresh": "\#(new)"}"#, true),
            Case("a short one in a success", 200, #"{"refresh": "r2"}"#, true),
            Case("an empty access token", 200, #"{"access": "", "refresh": "\#(new)"}"#, true),
            Case("null", 200, #"{"access": null, "refresh": "\#(new)"}"#, true),
            Case("a number", 200, #"{"access": 5, "refresh": "\#(new)"}"#, true),
            Case(
                "an access token with a line break",
                200,
                #"{"access": "a\nb", "refresh": "\#(new)"}"#,
                true
            ),
            Case("a flag", 200, #"{"ok": false, "access": "a", "refresh": "\#(new)"}"#, true),
            Case("created", 201, #"{"refresh": "\#(new)"}"#, true),
            Case("an error beside tokens", 400, #"{"access": "a", "refresh": "\#(new)"}"#, true),
            Case("a refusal beside tokens", 401, #"{"access": "a", "refresh": "\#(new)"}"#, true),
            Case("a refusal beside it", 401, #"{"refresh": "\#(new)"}"#, true),
            Case("forbidden", 403, #"{"refresh": "\#(new)"}"#, true),
            Case("a rate limit", 429, #"{"refresh": "\#(new)"}"#, true),
            Case("a server's error", 500, #"{"access": "a", "refresh": "\#(new)"}"#, true),
            Case("a form", 500, "access=a&refresh=\(new)", true),
            Case("the one that was sent", 500, #"{"refresh": "\#(old)"}"#, false),
            Case("the same in a refusal", 401, #"{"refresh": "\#(old)"}"#, false),
            Case("words about it", 400, #"{"refresh": "This field is required."}"#, false),
            Case("a word about it", 400, #"{"refresh": "invalid"}"#, false),
            Case(
                "a word about it in a success",
                200,
                #"{"error": "invalid_grant", "refresh": "invalid"}"#,
                false
            ),
            Case("a list", 400, #"{"refresh": ["\#(new)"]}"#, false),
            Case("a line break", 200, #"{"refresh": "a\nb"}"#, false),
            Case("empty", 200, #"{"refresh": ""}"#, false),
            Case("none", 500, #"{"access": "a"}"#, false),
            Case("a page", 502, "<html>", false),
        ]
    )
    func body(example: Case) throws {
        let dialect = try Dialect.sketch(answer: #"success = "ok""#)
        let response = WireResponse(
            status: example.status,
            headers: example.body.hasPrefix("access=")
                ? [WireHeader("Content-Type", "application/x-www-form-urlencoded")] : [],
            body: Array(example.body.utf8)
        )
        expect(example, dialect.decideRefresh(response, hiding: Self.known))
    }

    @Test(
        "in a cookie",
        arguments: [
            Case("a page", 200, "<p>Welcome</p>", cookie: new, true),
            Case("nothing", 204, "", cookie: new, true),
            Case("a gateway's error", 502, "<html>", cookie: new, true),
            Case("an error", 403, "{}", cookie: new, true),
            Case("a refusal that opens another session", 401, "{}", cookie: new, false),
            Case("a refusal beside tokens", 401, #"{"access": "a"}"#, cookie: new, true),
            Case("the one that was sent", 500, "", cookie: old, false),
            Case("deleted", 500, "", cookie: "; Max-Age=0", false),
            Case("none", 200, "{}", false),
        ]
    )
    func cookie(example: Case) throws {
        let dialect = try Dialect(
            toml: """
                name = "sketch"
                [login]
                request = "POST /login"
                [login.response]
                access = "access"
                [refresh]
                request = "POST /refresh"
                token_in = "cookie:session"
                [refresh.response]
                access = "access"
                refresh = "cookie:session"
                [[refresh.terminal]]
                status = 401
                """,
            file: "sketch.toml"
        )
        let response = WireResponse(
            status: example.status,
            headers: example.cookie.map { [WireHeader("Set-Cookie", "session=\($0)")] } ?? [],
            body: Array(example.body.utf8)
        )
        expect(example, dialect.decideRefresh(response, hiding: Self.known))
    }

    @Test(
        "one beside a token of another type is kept, and the type is named",
        arguments: [false, true]
    )
    func tokenType(isBound: Bool) throws {
        let dialect = try Dialect.oauth2("dpop = \(isBound)")
        func read(_ type: String) -> RefreshResponse {
            dialect.readRefresh(
                WireResponse(
                    200,
                    json: #"{"access_token": "a", "refresh_token": "\#(Self.new)"\#(type)}"#
                ),
                hiding: Self.known
            )
        }
        let other = isBound ? "Bearer" : "mac"
        guard case .refreshTokenOnly(let successor) = read(#", "token_type": "\#(other)""#) else {
            Issue.record("it is used, or lost")
            return
        }
        #expect(successor.refresh == RefreshToken(Secret(Self.new)))
        #expect(successor.message?.hasPrefix("a token of the type \"\(other)\", and ") == true)
        // Some servers state no type.
        for type in [
            "", #", "token_type": null"#, #", "token_type": "\#(isBound ? "DPoP" : "bearer")""#,
        ] {
            #expect(read(type).tokens?.refresh == RefreshToken(Secret(Self.new)), "\(type)")
        }
    }

    private func expect(_ example: Case, _ decision: Decision<RefreshResponse>) {
        guard case .refreshTokenOnly(let successor) = decision.meaning else {
            #expect(!example.isKept, "\(example.name): \(decision.rule.code)")
            #expect(decision.rule != .refreshTokenOnly)
            return
        }
        #expect(example.isKept, "\(example.name)")
        #expect(decision.rule == .refreshTokenOnly)
        #expect(successor.status == example.status)
        #expect(successor.message?.contains(Self.new) != true)
    }

    @Test("its end, the captured values and the wait that the server asks for are kept with it")
    func statements() throws {
        let dialect = try Dialect.sketch(answer: #"refresh_expires = "seconds:refresh_in""#)
        let response = WireResponse(
            503,
            json: #"{"refresh": "\#(Self.new)", "refresh_in": 900}"#,
            headers: ["Retry-After": "7"]
        )
        guard case .refreshTokenOnly(let successor) = dialect.readRefresh(response) else {
            Issue.record("it is lost")
            return
        }
        #expect(successor.refresh == RefreshToken(Secret(Self.new)))
        #expect(successor.evidence.first == .lifetime(seconds: 900))
        #expect(successor.retryAfter == .seconds(7))
    }

    @Test("what is wrong with its answer is said", arguments: Dialect.builtIn().map(\.name))
    func words(name: String) throws {
        let dialect = try #require(Dialect.builtIn(named: name))
        guard dialect.hasRefreshToken else { return }
        var response = dialect.answer(.refreshIssued(Sample(dialect).facts))
        let issued = dialect.readRefresh(response).tokens
        response.status = 500
        let meaning = dialect.readRefresh(response)
        guard let refresh = issued?.refresh, case .refreshTokenOnly(let successor) = meaning else {
            // Its refreshes bring none.
            #expect(issued?.refresh == nil, "\(Meaning(sample: Sample(dialect)).of(meaning))")
            return
        }
        #expect(successor.refresh == refresh && successor.status == 500)
    }
}
