import Basics
import Testing

@testable import Profiles

@Suite("The end of the provider's own session (OpenID Connect RP-Initiated Logout 1.0)")
struct EndSessionTests {
    private static func dialect(_ lines: String) throws -> Dialect {
        let text = """
            extends = "oauth2"
            grant = "authorization_code"
            client_auth = "public"
            client_id = "me"
            \(lines)
            """
        return try Profile(
            ProfileSource(name: "mine", text: text, file: "mine.toml"),
            known: ["oauth2"],
            lookup: { name throws(DialectError) in ProfileSource.builtIn(name) }
        ).dialect
    }

    private static func attempt(
        _ lines: String,
        idToken: Secret? = Secret("one.id.token")
    ) throws -> EndSessionAttempt {
        var calls: UInt8 = 0
        return try #require(
            try dialect(lines).endSessionAttempt(
                at: "https://auth.example.com",
                port: 4711,
                idToken: idToken,
                randomBytes: { count in
                    calls += 1
                    return Array(repeating: calls, count: count)
                }
            )
        )
    }

    private static let request = "logout.end_session.request = \"GET /logout?ui=en\"\n"

    @Test("the address that is opened is this machine's, and leads on to the provider")
    func start() throws {
        let attempt = try Self.attempt(Self.request)
        #expect(attempt.url.hasPrefix("http://127.0.0.1:4711/end-session/"))
        #expect(!attempt.url.contains("one.id.token"))
        let path = String(attempt.url.dropFirst("http://127.0.0.1:4711".count))
        let target = Secret(
            "https://auth.example.com/logout?ui=en&id_token_hint=one.id.token&client_id=me"
        )
        #expect(attempt.read(path) == .start(target, isLast: true))
        #expect(attempt.read("/end-session/guess") == nil)
        #expect(attempt.read("/favicon.ico") == nil)
        #expect(attempt.read("/logged-out?state=x") == nil)
    }

    @Test("without an id token the client is named, and the provider asks the user")
    func noToken() throws {
        let attempt = try Self.attempt(Self.request, idToken: nil)
        #expect(attempt.target == Secret("https://auth.example.com/logout?ui=en&client_id=me"))
    }

    @Test("with a port, the provider is asked to redirect, and the state is checked")
    func redirect() throws {
        let attempt = try Self.attempt(
            Self.request + "logout.end_session.redirect_port = 4711"
        )
        #expect(attempt.expectsRedirect)
        let items = FormEncoding.decode(
            attempt.target.reveal().split(separator: "?", maxSplits: 1)[1]
        )
        #expect(items["post_logout_redirect_uri"] == "http://127.0.0.1:4711/logged-out")
        let state = try #require(items["state"])
        #expect(attempt.read("/logged-out?state=\(state)") == .ended)
        #expect(attempt.read("/logged-out?state=other") == .otherState)
        #expect(attempt.read("/logged-out") == .otherState)
        let path = String(attempt.url.dropFirst("http://127.0.0.1:4711".count))
        guard case .start(_, isLast: false)? = attempt.read(path) else {
            Issue.record("no start")
            return
        }
    }

    @Test("a profile without the key ends no session at a provider")
    func none() throws {
        #expect(try !Self.dialect("").endsProviderSession)
    }

    @Test(
        "a mistake is told",
        arguments: [
            "logout.end_session.request = \"POST /logout\"",
            "logout.end_session.redirect_port = 1",
            request + "logout.end_session.redirect_path = \"/x\"",
            request
                + "logout.end_session.redirect_port = 1\nlogout.end_session.redirect_path = \"x\"",
            request + "logout.end_session.redirect_port = 0",
        ]
    )
    func mistakes(lines: String) {
        #expect(throws: DialectError.self) { try Self.dialect(lines) }
    }
}
