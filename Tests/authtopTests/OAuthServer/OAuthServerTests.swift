import Foundation
import TestSupport
import Testing

@Suite(
    "An OAuth 2.0 server that is not ours",
    .programs,
    .enabled("python3-django-oauth-toolkit is not installed") { await OAuthServer.isInstalled() }
)
struct OAuthServerTests {
    @Test("is watched through five rotations, with no request refused before one")
    func rotations() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 10)
            let program = try watch("password", at: server.port, on: bench)
            let stream = EventStream(program.output)
            let issued = try await stream.first("tokensIssued")
            let last = try await stream.fiveRenewals(after: issued)
            #expect(last.generation == 6)
            // The server ends the old access token with the rotation: a request may be in progress.
            let started = try stream.all("refreshStarted")
            let refused = try stream.events.filter { event in
                event.isRequest("protected") && event.status.map { $0 != 200 } ?? false
                    && !started.contains {
                        $0.index < event.index
                            && $0.generation == event.integer("usedGeneration")
                    }
            }
            #expect(refused.map(\.line) == [])
            #expect(!program.output.text.contains("s3cr3t-of-"))
        }
    }

    @Test("its refusal of a token that was spent unheard is named a lost rotation")
    func spent() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 12)
            let relay = bench.keep(try Relay(to: server.port))
            let program = try watch("password", at: relay.port, on: bench)
            let stream = EventStream(program.output)
            let issued = try await stream.first("tokensIssued")
            relay.prepare(.answerLost, for: "/o/token/")
            let lost = try await stream.state("unknown", after: issued)
            let refused = try await stream.first("the refusal", after: lost) {
                $0.isRequest("refresh") && $0.status == 400
            }
            let draining = try await stream.first("draining", after: refused)
            #expect(draining.text("reason") == "lostRotation")
            let end = try await stream.first("signedOut", after: draining)
            #expect(end.text("reason") == "lostRotation")
            #expect(try await program.ended() == .exit(1))
        }
    }

    @Test("is logged in to again and again as a client on its own behalf")
    func clientCredentials() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 6)
            let program = try watch("client_credentials", at: server.port, on: bench)
            let stream = EventStream(program.output)
            var last = try await stream.first("tokensIssued")
            for _ in 0..<2 { last = try await stream.first("tokensIssued", after: last) }
            #expect(try stream.all("signedOut").isEmpty)
            #expect(try stream.all("refreshStarted").isEmpty)
        }
    }

    @Test("is logged in to with a browser's code and PKCE, and renewed")
    func authorizationCode() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 10)
            let path = try bench.write(
                try OAuthServer.profile(grant: "authorization_code", at: server.port)
                    + OAuthServer.browserLines,
                to: "server.toml"
            )
            let program = try bench.authtop(
                ["watch", path, "--json", "--no-browser", "--every", "500ms", "--for", "120s"]
            )
            let address = try await program.signInAddress()
            try await Program.run(
                Program.python,
                ["-B", OAuthServer.browser, address],
                environment: bench.environment
            )
            let stream = EventStream(program.output)
            let granted = try await stream.first("authorizationGranted")
            var last = try await stream.first("tokensIssued", after: granted)
            for _ in 0..<2 { last = try await stream.first("refreshSucceeded", after: last) }
            try await stream.first("a request with the last token", after: last) {
                $0.isRequest("protected") && $0.status == 200
            }
            #expect(try stream.all("refreshFailed").map(\.line) == [])
        }
    }

    @Test("I asks it about the tokens, and it agrees on the access token")
    func introspected() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 120)
            let relay = bench.keep(try Relay(to: server.port))
            let path = try bench.write(
                try OAuthServer.profile(grant: "password", at: relay.port),
                to: "server.toml"
            )
            let terminal = try await bench.terminal(
                with: OAuthServer.credentials(grant: "password")
            )
            try await terminal.enter("authtop watch \(path)")
            try await terminal.see("● fresh")
            try await terminal.press("I")
            // It knows access tokens only, and says of a refresh token that it is not active.
            try await terminal.see("both answers") { screen in
                screen.contains { $0.contains("server says") && !$0.contains("not active") }
                    && screen.contains { $0.contains("server says") && $0.contains("not active") }
                    && screen.contains { $0.contains("scope") && $0.contains("read") }
            }
            try await terminal.press("Escape")
            try await terminal.see("● fresh")
            #expect(relay.requests(to: "/o/introspect/").count == 2)
        }
    }

    @Test("l revokes the refresh token, and it is no longer accepted")
    func revoked() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 120)
            let relay = bench.keep(try Relay(to: server.port))
            let path = try bench.write(
                try OAuthServer.profile(grant: "password", at: relay.port),
                to: "server.toml"
            )
            let terminal = try await bench.terminal(
                with: OAuthServer.credentials(grant: "password")
            )
            try await terminal.enter("authtop watch \(path)")
            try await terminal.see("● fresh")
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            try await terminal.see("○ logged out by you")
            let revocation = try await eventually("the revocation") {
                relay.requests(to: "/o/revoke_token/").first
            }
            let token = try #require(Shape.field("token", of: revocation))
            try await terminal.see("its answer") { screen in
                screen.contains { line in
                    ["POST", "200", "log out"].allSatisfy(line.contains)
                }
            }
            var refresh = HandMadeRequest(
                method: "POST",
                target: "/o/token/",
                body: "grant_type=refresh_token&refresh_token=\(token)"
                    + "&client_id=password&client_secret=s3cr3t-of-password"
            )
            refresh.headers["Content-Type"] = "application/x-www-form-urlencoded"
            let answer = try await refresh.send(to: server.port)
            #expect(answer.status == 400)
            #expect(answer["error"]?.text == "invalid_grant")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    private func watch(_ grant: String, at port: Int, on bench: Bench) throws -> Program {
        let path = try bench.write(
            try OAuthServer.profile(grant: grant, at: port),
            to: "server.toml"
        )
        return try bench.authtop(
            ["watch", path, "--json", "--every", "500ms", "--for", "120s"],
            with: OAuthServer.credentials(grant: grant)
        )
    }
}
