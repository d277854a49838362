import Basics
import Testing

@testable import Profiles

@Suite("Questions about a token")
struct TokenQuestionTests {
    private let sample: Sample

    init() throws {
        sample = Sample(try Dialect.oauth2())
    }

    private func decide(_ question: TokenQuestion, _ status: Int, _ body: String)
        -> StatementResponse
    {
        let response = WireResponse(
            status: status,
            headers: [WireHeader("Content-Type", "application/json")],
            body: Array(body.utf8)
        )
        return sample.dialect.decideStatement(question, response).meaning
    }

    @Test("introspection is asked as RFC 7662 section 2.1 shows it, and recognized")
    func introspection() throws {
        for (question, secret, hint) in [
            (TokenQuestion.access, sample.access.secret, "access_token"),
            (.refresh, sample.refresh.secret, "refresh_token"),
        ] {
            let request = try #require(
                sample.dialect.questionRequest(
                    question,
                    about: secret,
                    credentials: Sample.credentials
                )
            )
            #expect(request.method == "POST")
            #expect(request.target == "/introspect")
            #expect(request.header("Authorization") == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.contains("token=\(secret.reveal())"))
            #expect(body.contains("token_type_hint=\(hint)"))
            #expect(sample.dialect.recognize(request) == .introspection(secret))
        }
    }

    @Test("userinfo is asked with the access token, and recognized")
    func userinfo() throws {
        let request = try #require(
            sample.dialect.questionRequest(.user, about: sample.access.secret)
        )
        #expect(request.method == "GET")
        #expect(request.target == "/userinfo")
        #expect(request.header("Authorization") == "Bearer \(sample.access.secret.reveal())")
        #expect(sample.dialect.recognize(request) == .userinfo(sample.access))
    }

    @Test("a dialect asks what it names requests for")
    func offered() throws {
        #expect(sample.dialect.questions == [.access, .refresh, .user])
        #expect(try Dialect.oauth2("disable = \"userinfo\"").questions == [.access, .refresh])
        let client = try Dialect.oauth2("grant = \"client_credentials\"")
        #expect(client.questions == [.access, .user])
        #expect(Dialect.builtIn(named: "melchat")?.questions == [])
    }

    @Test("the answer of RFC 7662 section 2.2 is read")
    func stated() {
        let body = """
            {
              "active": true, "client_id": "l238j323ds-23ij4", "username": "jdoe",
              "scope": "read write dolphin", "sub": "Z5O3upPC88QrAjx00dis",
              "aud": "https://protected.example.net/resource",
              "iss": "https://server.example.com/", "exp": 1419356238, "iat": 1419350238,
              "token_type": "Bearer", "extension_field": "twenty-seven"
            }
            """
        #expect(
            decide(.access, 200, body)
                == .stated(
                    TokenStatement(
                        isActive: true,
                        expiresAt: 1_419_356_238,
                        scope: "read write dolphin",
                        subject: "Z5O3upPC88QrAjx00dis",
                        clientID: "l238j323ds-23ij4",
                        tokenType: "Bearer"
                    )
                )
        )
        #expect(
            decide(.refresh, 200, #"{"active": false}"#)
                == .stated(TokenStatement(isActive: false))
        )
        #expect(
            decide(.user, 200, #"{"sub": "248289761001", "name": "Jane Doe"}"#)
                == .stated(TokenStatement(subject: "248289761001"))
        )
    }

    @Test(
        "an end that is no date is named, and an answer without one names none",
        arguments: [
            ("-1", "-1"), ("\"soon\"", "soon"), ("1e300", "1e+300"), ("[1]", "[1]"),
            ("null", nil), ("1419356238", nil), ("1419356238000", nil),
            ("\"2014-12-23T17:37:18Z\"", nil), ("3600", "3600"),
        ]
    )
    func unusableEnd(value: String, found: String?) {
        let meaning = decide(.access, 200, #"{"active": true, "exp": \#(value)}"#)
        let end: Double? = found == nil && value != "null" ? 1_419_356_238 : nil
        #expect(
            meaning
                == .stated(
                    TokenStatement(isActive: true, expiresAt: end, unusableExpiry: found)
                )
        )
    }

    @Test(
        "scopes are shown as one text, whether they are stated so or as a list",
        arguments: [
            (#""scope": "read write""#, "read write"),
            (#""scope": ["read", "write"]"#, "read write"),
            (#""scopes": ["write"]"#, "write"), (#""scope": """#, nil), (#""scope": 7"#, nil),
        ] as [(String, String?)]
    )
    func scopes(member: String, shown: String?) {
        #expect(
            decide(.access, 200, "{\"active\": true, \(member)}")
                == .stated(TokenStatement(isActive: true, scope: shown))
        )
    }

    @Test(
        "what states nothing is not read as a verdict",
        arguments: [
            (TokenQuestion.access, 401, "", StatementResponse.refused), (.user, 403, "", .refused),
            (.access, 404, "", .unusable), (.access, 503, #"{"active": false}"#, .unusable),
            (.access, 200, "<html>", .unusable), (.access, 200, #"{"sub": "1"}"#, .unusable),
            (.access, 200, #"{"active": "no"}"#, .unusable),
            (.user, 200, #"{"email": "a@b.c"}"#, .unusable),
        ]
    )
    func nothing(
        question: TokenQuestion,
        status: Int,
        body: String,
        expected: StatementResponse
    ) {
        #expect(decide(question, status, body) == expected)
    }

    @Test("a token that the server repeats is hidden, and a long text is cut")
    func hidden() throws {
        let secret = sample.access.secret
        let long = String(repeating: "word ", count: 200)
        let body = #"{"active": true, "sub": "\#(secret.reveal())", "scope": "\#(long)"}"#
        let response = WireResponse(
            status: 200,
            headers: [WireHeader("Content-Type", "application/json")],
            body: Array(body.utf8)
        )
        let meaning = sample.dialect.decideStatement(
            .access,
            response,
            hiding: KnownSecrets.none.adding([secret])
        ).meaning
        guard case .stated(let statement) = meaning else {
            Issue.record("not read")
            return
        }
        #expect(statement.subject?.contains(secret.reveal()) == false)
        #expect(try #require(statement.scope).count <= 200)
    }
}
