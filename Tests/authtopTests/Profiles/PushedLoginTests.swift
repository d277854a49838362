import TestSupport
import Testing

/// Logins whose parameters the server gets first (RFC 9126), and the end of the provider's own session,
/// on the sandbox.
@Suite("Logins with pushed parameters", .programs)
struct PushedLoginTests {
    private static let pushed = "login.authorize.pushed.request = \"POST /par\""

    @Test(
        "the browser has only the reference, and the tokens come",
        arguments: ["", "dpop = true"]
    )
    func loggedIn(line: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(
                of: sandbox,
                deciding: "approve",
                "\(Self.pushed)\n\(line)"
            )
            let login = try bench.authtop(
                ["login", path, "--json"],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let stream = EventStream(login.output)
            let requested = try await stream.first("authorizationRequested")
            let url = requested.text("url") ?? ""
            #expect(url.contains("request_uri=urn%3Aietf"))
            #expect(!url.contains("state=") && !url.contains("redirect_uri"))
            let logins = try stream.all("request").filter { $0.isRequest("login") }
            #expect(logins.map(\.status) == [201, 200])
            let refresh = try bench.authtop(["refresh", path])
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
        }
    }

    @Test("a refusal of the server is its own, and no browser is opened")
    func refused() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let lines = "login.authorize.pushed.client_auth = \"body\"\n\(Self.pushed)"
            let path = try bench.browserProfile(of: sandbox, lines)
            let login = try bench.authtop(
                ["login", path],
                with: ["BROWSER": "/bin/false", "AUTHTOP_MINE_CLIENT_SECRET": "wrong"]
            )
            #expect(try await login.ended() == .exit(1))
            #expect(login.errors.text.contains("the server refused the login: invalid_client"))
            #expect(!login.errors.text.contains("http://127.0.0.1"))
        }
    }

    @Test("a logout leads the browser to the provider once, without the id token on the screen")
    func loggedOut() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(
                of: sandbox,
                deciding: "approve",
                "logout.end_session.request = \"GET /end-session\""
            )
            let login = try bench.authtop(
                ["login", path],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let logout = try bench.authtop(
                ["logout", path, "--no-browser"],
                with: ["BROWSER": "/bin/false"]
            )
            let address = try await logout.signInAddress()
            let page = try await HandMadeBrowser.get(address)
            #expect(page.status == 200)
            #expect(
                page.body.contains(
                    "url=http://127.0.0.1:\(sandbox.port)/oauth2/end-session?client_id=sandbox"
                )
            )
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.text.contains("logged out here"))
            #expect(logout.output.text.contains("the browser was led to the provider"))
            let form = try await HandMadeBrowser.get(
                "http://127.0.0.1:\(sandbox.port)/oauth2/end-session"
            )
            #expect(form.status == 200 && form.body.contains("Log out of the sandbox"))
        }
    }

    @Test("a logout without a user leaves the provider's session, and says so")
    func noUser() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(
                of: sandbox,
                deciding: "approve",
                "logout.end_session.request = \"GET /end-session\""
            )
            let login = try bench.authtop(
                ["login", path],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let logout = try bench.authtop(["logout", path])
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.text.contains("the provider's own session stays open"))
        }
    }

    @Test("a logout of all profiles leads the browser to the provider of each, as that of one does")
    func allProfiles() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            for name in ["mine", "other"] {
                try bench.write(
                    """
                    extends = "oauth2"
                    base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
                    grant = "authorization_code"
                    client_auth = "public"
                    client_id = "sandbox"
                    login.authorize.request = "GET /authorize?sandbox=approve"
                    \(name == "mine" ? "logout.end_session.request = \"GET /end-session\"" : "")
                    """,
                    to: "config/authtop/profiles/\(name).toml"
                )
                let login = try bench.authtop(
                    ["login", name],
                    with: ["BROWSER": try bench.silentBrowser()]
                )
                #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            }
            let logout = try bench.authtop(
                ["logout", "--all-profiles", "--yes", "--no-browser"],
                with: ["BROWSER": "/bin/false"]
            )
            let page = try await HandMadeBrowser.get(try await logout.signInAddress())
            #expect(page.status == 200)
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            let lines = logout.output.lines
            #expect(lines.count == 2)
            for line in lines {
                let isLed = line.contains("the browser was led to the provider")
                #expect(isLed == line.hasPrefix("mine at"), "\(line)")
            }
        }
    }
}
