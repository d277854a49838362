import Basics
import Foundation
import Testing

@testable import Profiles

@Suite("The parameters of a sign-in that are pushed (RFC 9126)")
struct PushedAuthorizationTests {
    private static func dialect(_ lines: String = "client_auth = \"public\"") throws -> Dialect {
        let text = """
            extends = "oauth2"
            grant = "authorization_code"
            client_id = "me"
            \(lines)
            login.authorize.request = "GET https://login.example.com/authorize?audience=a%20b&audience=c"
            login.authorize.scope = "openid"
            login.authorize.pushed.request = "POST /par"
            """
        return try Profile(
            ProfileSource(name: "mine", text: text, file: "mine.toml"),
            known: ["oauth2"],
            lookup: { name throws(DialectError) in ProfileSource.builtIn(name) }
        ).dialect
    }

    private static func attempt(
        _ dialect: Dialect,
        credentials: [String: Secret] = [:],
        proofKey: Secret? = nil
    ) throws -> AuthorizationAttempt {
        try #require(
            try dialect.authorizationAttempt(
                at: "https://auth.example.com",
                redirectPort: 4711,
                credentials: credentials,
                proofKey: proofKey,
                randomBytes: { Array(repeating: 7, count: $0) }
            )
        )
    }

    private static func body(_ request: WireRequest) -> String {
        String(decoding: request.body, as: UTF8.self)
    }

    @Test("the server gets what the browser's query would contain, and what the file has in it")
    func parameters() throws {
        let attempt = try Self.attempt(try Self.dialect())
        let request = try #require(attempt.pushed)
        #expect(request.method == "POST")
        #expect(request.target == "/par")
        #expect(request.origin == nil)
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        let body = Self.body(request)
        #expect(body.contains("audience=a%20b&audience=c"))
        #expect(body.components(separatedBy: "client_id=me").count == 2)
        let items = FormEncoding.decode(body)
        #expect(items["response_type"] == "code")
        #expect(items["redirect_uri"] == "http://127.0.0.1:4711/callback")
        #expect(items["scope"] == "openid")
        #expect(items["code_challenge_method"] == "S256")
        #expect(items["state"]?.count == 43 && items["nonce"]?.count == 43)
    }

    @Test("the browser carries the reference and the client's id, and nothing else")
    func reference() throws {
        var attempt = try Self.attempt(try Self.dialect())
        attempt.refer(to: PushedAuthorization(requestURI: "urn:example:a b&c"))
        #expect(
            attempt.url == "https://login.example.com/authorize?client_id=me"
                + "&request_uri=urn%3Aexample%3Aa%20b%26c"
        )
    }

    @Test(
        "the client authenticates itself as for the tokens",
        arguments: [
            ("client_auth = \"public\"", nil as String?, nil as String?),
            ("client_auth = \"body\"", nil, "secret"),
            ("client_auth = \"basic\"", "Basic bWU6c2VjcmV0", nil),
            (
                "client_auth = \"basic\"\nlogin.authorize.pushed.client_auth = \"body\"", nil,
                "secret"
            ),
        ]
    )
    func client(lines: String, header: String?, inBody: String?) throws {
        let dialect = try Self.dialect(lines)
        let attempt = try Self.attempt(dialect, credentials: ["client_secret": Secret("secret")])
        let request = try #require(attempt.pushed)
        #expect(request.header("Authorization") == header)
        let items = FormEncoding.decode(Self.body(request))
        #expect(items["client_id"] == "me")
        #expect(items["client_secret"] == inBody)
        #expect(!attempt.url.contains("secret"))
    }

    @Test("a secret that is not there is named before anything is sent")
    func missing() throws {
        let dialect = try Self.dialect("client_auth = \"basic\"")
        #expect(throws: MissingCredential(name: "client_secret")) {
            try Self.attempt(dialect)
        }
    }

    @Test("with dpop the request has a proof, and the code is exchanged with the same key")
    func proof() throws {
        let dialect = try Self.dialect("client_auth = \"public\"\ndpop = true")
        let attempt = try Self.attempt(dialect, proofKey: Secret("key"))
        let request = try #require(attempt.pushed)
        #expect(request.proof == ProofOfPossession(access: nil))
        let items = FormEncoding.decode(Self.body(request))
        let state = try #require(items["state"])
        guard case .granted(let grant)? = attempt.read("/callback?code=c&state=\(state)") else {
            Issue.record("not granted")
            return
        }
        #expect(grant.proofKey == Secret("key"))
        #expect(try Self.attempt(try Self.dialect()).pushed?.proof == nil)
    }

    @Test("the example of section 2.2 is read")
    func accepted() throws {
        let body = """
            {"request_uri": "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c",
            "expires_in": 60}
            """
        #expect(
            try meaning(201, body)
                == .accepted(
                    PushedAuthorization(
                        requestURI: "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c"
                    )
                )
        )
    }

    @Test("an error of section 2.3 is the server's own, on one line")
    func refused() throws {
        let body = #"{"error": "invalid_request", "error_description": "no\nredirect_uri"}"#
        guard case .refused("invalid_request", let description?) = try meaning(400, body) else {
            Issue.record("not refused")
            return
        }
        #expect(description.hasPrefix("no") && !description.contains("\n"))
        #expect(
            try meaning(401, #"{"error": "invalid_client"}"#)
                == .refused(error: "invalid_client", description: nil)
        )
    }

    @Test(
        "an answer without a reference is not usable, and a server error is temporary",
        arguments: [
            (201, "{}"), (201, #"{"request_uri": ""}"#),
            (200, #"{"request_uri": "urn:\u001b[2J"}"#),
            (201, "<html>"), (503, #"{"error": "temporarily_unavailable"}"#), (429, ""),
            (404, "not here"),
        ]
    )
    func failed(status: Int, body: String) throws {
        guard case .failed = try meaning(status, body) else {
            Issue.record("\(status) \(body)")
            return
        }
    }

    @Test(
        "a mistake is told with its key",
        arguments: [
            "client_auth = \"none\"",
            "client_auth = \"public\"\nlogin.authorize.pushed.client_auth = \"none\"",
        ]
    )
    func mistakes(lines: String) {
        #expect(throws: DialectError.self) { try Self.dialect(lines) }
    }

    private func meaning(_ status: Int, _ body: String) throws -> PushedResponse {
        let response = WireResponse(
            status: status,
            headers: [WireHeader("Content-Type", "application/json")],
            body: Array(body.utf8)
        )
        return try Self.dialect().decidePushed(response).meaning
    }
}
