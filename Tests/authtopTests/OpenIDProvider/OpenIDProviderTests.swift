import Foundation
import TestSupport
import Testing

@Suite(
    "An OpenID provider that is not ours, by its metadata alone",
    .programs,
    .enabled("python3-authlib and python3-flask are not installed") {
        await OpenIDProvider.isInstalled()
    }
)
struct OpenIDProviderTests {
    @Test(
        "is watched with a profile of three lines through five rotations, and its id token checked"
    )
    func rotations() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 8)
            let (stream, issued) = try await watch(try bench.profile(of: provider), on: bench)
            let checked = try await stream.first("idTokenChecked")
            #expect(checked.text("signature") == "valid")
            #expect(checked.text("rule") == nil)
            _ = try await stream.fiveRenewals(after: issued)
        }
    }

    @Test("a session that its administrator revokes ends as revoked")
    func revoked() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let (stream, issued) = try await watch(try bench.profile(of: provider), on: bench)
            try await provider.post("", to: "/revoke-all")
            let refused = try await stream.first("refreshTokenRefused", after: issued)
            let end = try await stream.first("signedOut", after: refused)
            #expect(end.text("reason") == "revoked")
        }
    }

    @Test("`profiles init --issuer` writes a profile that logs in, renews and logs out")
    func written() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let written = try bench.authtop([
                "profiles", "init", "found", "--issuer", provider.issuer, "--client-id", "authtop",
            ])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let login = try bench.authtop(["login", "found", "--no-browser"])
            try await bench.signIn(at: try await login.signInAddress())
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            for command in ["refresh", "logout"] {
                let program = try bench.authtop([command, "found"])
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            }
            // Nothing is left that an administrator could revoke.
            let status = try bench.authtop(["status", "found"])
            #expect(try await status.ended() == .exit(1))
        }
    }

    @Test(
        "ends its own session after a logout, which its redirect shows",
        .enabled("this Authlib has no logout, see AUTHTOP_AUTHLIB_PYTHON") {
            await OpenIDProvider.hasLogout()
        }
    )
    func loggedOut() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let listener = try LoopbackServer { _ in Answers.json(200, "{}") }
            let port = listener.port
            await listener.stop()
            let path = try bench.profile(
                of: provider,
                "logout.end_session.redirect_port = \(port)"
            )
            let login = try bench.authtop(["login", path, "--no-browser"])
            try await bench.signIn(at: try await login.signInAddress())
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let logout = try bench.authtop(["logout", path, "--no-browser"])
            let page = try await HandMadeBrowser.get(try await logout.signInAddress()).body
            let start = try #require(page.range(of: "url="))
            let link = String(page[start.upperBound...].prefix { $0 != "\"" })
            let address = link.replacing("&amp;", with: "&")
            #expect(address.contains("id_token_hint="))
            #expect(try await HandMadeBrowser.open(address).last?.status == 200)
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            let words = "the provider has ended its own session in the browser"
            #expect(logout.output.text.contains(words), "\(logout.output.text)")
        }
    }

    @Test("is logged in to on any device, with its own interval")
    func device() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let path = try bench.profile(of: provider, "grant = \"device_code\"")
            let login = try bench.authtop(["login", path, "--json"])
            let stream = EventStream(login.output)
            let requested = try await stream.first("authorizationRequested")
            let code = try #require(requested.text("userCode"))
            try await stream.first("a request for the tokens", after: requested) {
                $0.isRequest("login") && $0.status == 400
            }
            let form = "username=me&password=pw12345&user_code=\(code)"
            try await provider.post(form, to: "/device")
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let refresh = try bench.authtop(["refresh", path])
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
        }
    }

    /// Watches it after a user has signed in; returns its events, and the first pair's.
    private func watch(
        _ profile: String,
        on bench: Bench
    ) async throws -> (stream: EventStream, issued: Event) {
        let program = try bench.authtop([
            "watch", profile, "--json", "--no-browser", "--every", "500ms", "--for", "120s",
        ])
        try await bench.signIn(at: try await program.signInAddress())
        let stream = EventStream(program.output)
        return (stream, try await stream.first("tokensIssued"))
    }
}
