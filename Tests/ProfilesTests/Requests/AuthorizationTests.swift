import Basics
import Testing

@testable import Profiles

@Suite("The sign-in with a browser")
struct AuthorizationTests {
    private static func profile(_ lines: String = "") throws -> Profile {
        let text = """
            extends = "oauth2"
            grant = "authorization_code"
            client_auth = "public"
            client_id = "my app"
            \(lines)
            """
        return try Profile(
            ProfileSource(name: "mine", text: text, file: "mine.toml"),
            known: ["oauth2"],
            lookup: { name throws(DialectError) in ProfileSource.builtIn(name) }
        )
    }

    /// Bytes that differ with each call, as a secure source's do.
    private final class Bytes {
        private var calls: UInt8 = 0

        func next(_ count: Int) -> [UInt8] {
            calls += 1
            return Array(repeating: calls, count: count)
        }
    }

    private static func attempt(_ lines: String = "") throws -> AuthorizationAttempt {
        let bytes = Bytes()
        return try #require(
            try profile(lines).dialect.authorizationAttempt(
                at: "https://auth.example.com/base",
                redirectPort: 4711,
                credentials: [:],
                randomBytes: bytes.next
            )
        )
    }

    private static func parameters(of url: String) -> [String: String] {
        FormEncoding.decode(url.split(separator: "?", maxSplits: 1).last ?? "")
    }

    @Test("opens the endpoint with the parameters of RFC 6749 and RFC 7636")
    func url() throws {
        let attempt = try Self.attempt(
            """
            login.authorize.request = "GET /o/authorize?prompt=login"
            login.authorize.scope = "openid email"
            """
        )
        #expect(attempt.url.hasPrefix("https://auth.example.com/base/o/authorize?prompt=login&"))
        let items = Self.parameters(of: attempt.url)
        #expect(items["response_type"] == "code")
        #expect(items["client_id"] == "my app")
        #expect(items["redirect_uri"] == "http://127.0.0.1:4711/callback")
        #expect(items["scope"] == "openid email")
        #expect(items["code_challenge_method"] == "S256")
        #expect(items["nonce"].map { Secret($0) } == attempt.nonce)
        #expect(Set(["state", "nonce", "code_challenge"].map { items[$0]?.count }) == [43])
        #expect(Set(["state", "nonce", "code_challenge"].map { items[$0] }).count == 3)
    }

    @Test("sends no nonce without OpenID Connect")
    func nonce() throws {
        let attempt = try Self.attempt("login.authorize.scope = \"email\"")
        #expect(attempt.nonce == nil)
        #expect(Self.parameters(of: attempt.url)["nonce"] == nil)
    }

    @Test("an endpoint at a host of its own is not below the base URL")
    func host() throws {
        let line = "login.authorize.request = \"GET https://login.example.com/authorize\""
        #expect(try Self.attempt(line).url.hasPrefix("https://login.example.com/authorize?"))
    }

    @Test("the code is exchanged with the verifier of its challenge, and the same redirect")
    func exchange() throws {
        let attempt = try Self.attempt()
        let items = Self.parameters(of: attempt.url)
        let state = try #require(items["state"])
        let redirect = attempt.read("/callback?code=a%2Bb&state=\(state)")
        guard case .granted(let grant)? = redirect else {
            Issue.record("\(String(describing: redirect))")
            return
        }
        let verifier = CodeVerifier(try #require(grant.values["code_verifier"]))
        #expect(verifier.challenge == items["code_challenge"])
        let request = try Self.profile().dialect.loginRequest([:], grant: grant)
        let body = FormEncoding.decode(String(decoding: request.body, as: UTF8.self))
        #expect(request.target == "/token")
        #expect(
            body == [
                "grant_type": "authorization_code", "code": "a+b",
                "code_verifier": verifier.secret.reveal(), "client_id": "my app",
                "redirect_uri": "http://127.0.0.1:4711/callback",
            ]
        )
    }

    @Test("a redirect with another state, or none, decides nothing")
    func state() throws {
        let attempt = try Self.attempt()
        for query in ["code=a&state=b", "code=a", "error=access_denied&state=", ""] {
            #expect(attempt.read("/callback?\(query)") == .rejected(.otherState))
        }
        #expect(attempt.read("/favicon.ico") == nil)
        #expect(attempt.read("/callback/x?state=a") == nil)
    }

    @Test("an error of the server is shown on one line, and bounded")
    func refusal() throws {
        let attempt = try Self.attempt()
        let state = try #require(Self.parameters(of: attempt.url)["state"])
        let text = "no%0A%1B%5B31m" + String(repeating: "x", count: 10_000)
        let redirect = attempt.read(
            "/callback?state=\(state)&error=access_denied&error_description=\(text)"
        )
        guard case .refused("access_denied", let description?)? = redirect else {
            Issue.record("\(String(describing: redirect))")
            return
        }
        #expect(description.hasPrefix("no"))
        #expect(description.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(description.utf8.count < 1_000)
    }

    @Test(
        "a redirect must name the issuer that the profile names (RFC 9207)",
        arguments: [
            ("iss=https%3A%2F%2Fauth.example.com", true),
            ("iss=https%3A%2F%2Fevil.example", false), ("", false),
        ]
    )
    func issuer(parameter: String, isAccepted: Bool) throws {
        let attempt = try Self.attempt("login.authorize.issuer = \"https://auth.example.com\"")
        let state = try #require(Self.parameters(of: attempt.url)["state"])
        let redirect = attempt.read("/callback?code=a&state=\(state)&\(parameter)")
        if isAccepted {
            guard case .granted? = redirect else {
                Issue.record("\(String(describing: redirect))")
                return
            }
        } else {
            #expect(redirect == .rejected(.otherIssuer))
        }
    }

    @Test(
        "a redirect need not name an issuer that its server does not promise, but names no other one",
        arguments: [
            ("&iss=https%3A%2F%2Fauth.example.com", true), ("", true),
            ("&iss=https%3A%2F%2Fevil.example", false),
            ("&iss=https%3A%2F%2Fauth.example.com%2F", false), ("&iss=", false),
        ]
    )
    func issuerIfNamed(parameter: String, isAccepted: Bool) throws {
        let line = "login.authorize.issuer_if_named = \"https://auth.example.com\""
        let attempt = try Self.attempt(line)
        let state = try #require(Self.parameters(of: attempt.url)["state"])
        for answer in ["code=a", "error=access_denied"] {
            let redirect = attempt.read("/callback?\(answer)&state=\(state)\(parameter)")
            #expect((redirect != .rejected(.otherIssuer)) == isAccepted, "\(answer)\(parameter)")
        }
        // Where no issuer is known, there is nothing to compare.
        let unknown = try Self.attempt()
        let other = try #require(Self.parameters(of: unknown.url)["state"])
        guard case .granted? = unknown.read("/callback?code=a&state=\(other)\(parameter)") else {
            Issue.record("it was rejected")
            return
        }
    }

    @Test("a redirect without a code is no success")
    func noCode() throws {
        let attempt = try Self.attempt()
        let state = try #require(Self.parameters(of: attempt.url)["state"])
        #expect(attempt.read("/callback?state=\(state)&code=") == .rejected(.noCode))
    }

    @Test("the client's id in the file is in every request, and is not asked for")
    func clientID() throws {
        let dialect = try Self.profile().dialect
        #expect(dialect.credentials.isEmpty)
        let refresh = dialect.refreshRequest(RefreshToken(Secret("r")))
        let body = FormEncoding.decode(String(decoding: refresh.body, as: UTF8.self))
        #expect(body["client_id"] == "my app")
        let logout = dialect.logoutRequest(.this, refresh: RefreshToken(Secret("r")), access: nil)
        let form = FormEncoding.decode(String(decoding: logout?.body ?? [], as: UTF8.self))
        #expect(form["client_id"] == "my app")
    }

    @Test(
        "a mistake is reported with its line, key, and what was expected",
        arguments: [
            (
                "login.authorize.request = \"POST /authorize\"",
                "mine.toml:5: login.authorize.request: found the method \"POST\", "
                    + "expected GET, which a browser opens"
            ),
            (
                "login.authorize.request = \"GET /a?state=x\"",
                "mine.toml:5: login.authorize.request: the query contains \"state\", "
                    + "which is added to it, expected other parameters only"
            ),
            (
                "login.authorize.redirect_port = 0",
                "mine.toml:5: login.authorize.redirect_port: found the number 0, "
                    + "expected a number from 1 to 65535"
            ),
            (
                "login.authorize.redirect_path = \"callback\"",
                "mine.toml:5: login.authorize.redirect_path: \"callback\" is not a path, "
                    + "expected one such as /callback"
            ),
            (
                "login.authorize.scope = \"\"",
                "mine.toml:5: login.authorize.scope: \"\" is not a scope, "
                    + "expected words such as openid email"
            ),
            (
                "login.authorize.issuer = \"auth.example.com\"",
                "mine.toml:5: login.authorize.issuer: \"auth.example.com\" is not an issuer, "
                    + "expected one such as https://auth.example.com"
            ),
            (
                "login.authorize.issuer_if_named = \"auth.example.com\"",
                "mine.toml:5: login.authorize.issuer_if_named: \"auth.example.com\" is not an issuer, "
                    + "expected one such as https://auth.example.com"
            ),
            (
                "policy.renew = \"login\"",
                "mine.toml:5: policy.renew: a login needs the user's browser, and cannot be "
                    + "repeated without the user, expected renew = \"refresh\""
            ),
            (
                "login.client_auth = \"none\"",
                "mine.toml:5: login.client_auth: the request does not name the client (in the "
                    + "built-in oauth2.toml: login.authorize), expected client_auth = \"public\", \"basic\" or \"body\""
            ),
        ]
    )
    func mistakes(line: String, message: String) {
        #expect {
            _ = try Self.profile(line)
        } throws: { error in
            let text = (error as? DialectError)?.description ?? ""
            return text == message
        }
    }
}
