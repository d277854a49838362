import Foundation
import TestSupport
import Testing

/// The assertions that authenticate a client (RFC 7523), verified by an OpenID provider that is not
/// ours: signature, algorithm, `kid`, audience, times, and that none is sent twice.
@Suite(
    "A client that signs assertions",
    .programs,
    .enabled("python3-authlib and python3-flask are not installed") {
        await OpenIDProvider.isInstalled()
    }
)
struct ClientAssertionTests {
    @Test(
        "signs in on any device, renews, and logs out, with each kind of key",
        arguments: ["es256.pem", "rs256.pem", "eddsa.pem", "jwk.json"]
    )
    func keys(file: String) async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let client = String(file.prefix { $0 != "." })
            let kid = file == "jwk.json" ? "" : "client_assertion.kid = \"key-of-\(client)\""
            let profile = try bench.profile(
                of: provider,
                client: client,
                """
                grant = "device_code"
                client_assertion.key = "\(provider.keys)/\(file)"
                \(kid)
                """
            )
            let shown = try bench.authtop(["profiles", "show", profile])
            #expect(try await shown.ended() == .exit(0), "\(shown.errors.text)")
            #expect(shown.output.text.contains("client_auth = \"private_key_jwt\""))
            try await expectSession(profile, at: provider, on: bench)
        }
    }

    @Test("signs with its secret, and the secret is not sent")
    func secret() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let secret = "a secret of 32 bytes or more, for HS256"
            let profile = try bench.profile(
                of: provider,
                client: "secret",
                """
                grant = "device_code"
                client_auth = "client_secret_jwt"
                credentials.client_secret_command = ["echo", "\(secret)"]
                """
            )
            try await expectSession(profile, at: provider, on: bench)
        }
    }

    @Test("asks for an introspection with an assertion, which the provider demands there, too")
    func introspection() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let profile = try bench.profile(
                of: provider,
                client: "es256",
                """
                grant = "device_code"
                client_assertion.key = "\(provider.keys)/es256.pem"
                client_assertion.kid = "key-of-es256"
                """
            )
            let login = try bench.authtop(["login", profile, "--json"])
            let requested = try await EventStream(login.output).first("authorizationRequested")
            let code = try #require(requested.text("userCode"))
            try await provider.post("username=me&password=pw12345&user_code=\(code)", to: "/device")
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let terminal = try await bench.terminal(with: [:])
            try await terminal.enter("authtop watch \(profile)")
            try await terminal.see("● fresh")
            try await terminal.press("I")
            try await terminal.see("two answers that agree") { screen in
                screen.count { $0.contains("server says") && $0.contains(/says +active/) } == 2
            }
            try await terminal.press("Escape", "q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("with another key than the provider knows is refused, and no session begins")
    func otherKey() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let profile = try bench.profile(
                of: provider,
                client: "es256",
                """
                grant = "device_code"
                client_assertion.key = "\(provider.keys)/jwk.json"
                client_assertion.kid = "key-of-es256"
                """
            )
            let login = try bench.authtop(["login", profile])
            #expect(try await login.ended() == .exit(1))
            #expect(login.errors.text.contains("invalid_client"), "\(login.errors.text)")
        }
    }

    @Test("for another audience than the token endpoint is refused")
    func otherAudience() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let profile = try bench.profile(
                of: provider,
                client: "es256",
                """
                grant = "device_code"
                client_assertion.key = "\(provider.keys)/es256.pem"
                client_assertion.kid = "key-of-es256"
                client_assertion.audience = "https://other.example"
                """
            )
            let login = try bench.authtop(["login", profile])
            #expect(try await login.ended() == .exit(1))
            #expect(login.errors.text.contains("invalid_client"), "\(login.errors.text)")
        }
    }

    @Test("a key that others can read, or that is none, is named, and nothing is sent")
    func unusableKey() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let path = try bench.write("no key", to: "client.pem")
            let profile = try bench.profile(
                of: provider,
                client: "es256",
                "grant = \"device_code\"\nclient_assertion.key = \"\(path)\""
            )
            for (mode, message) in [
                (0o644, "others can read it; run: chmod 600"),
                (0o600, "client_assertion.key: \(path): expected a private key"),
            ] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                let login = try bench.authtop(["login", profile])
                #expect(try await login.ended() == .exit(2))
                #expect(login.errors.text.contains(message), "\(login.errors.text)")
            }
        }
    }

    /// Signs in on any device, renews and logs out; each request but the user's needs an assertion.
    private func expectSession(
        _ profile: String,
        at provider: OpenIDProvider,
        on bench: Bench
    ) async throws {
        let login = try bench.authtop(["login", profile, "--json"])
        let stream = EventStream(login.output)
        let requested = try await stream.first("authorizationRequested")
        let code = try #require(requested.text("userCode"))
        try await provider.post("username=me&password=pw12345&user_code=\(code)", to: "/device")
        #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
        let refresh = try bench.authtop(["refresh", profile])
        #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
        let logout = try bench.authtop(["logout", profile, "--json"])
        #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
        let revocation = try await EventStream(logout.output).first("the revocation") {
            $0.isRequest("logout") && $0.status != nil
        }
        #expect(revocation.status == 200)
        #expect(!(login.output.text + logout.output.text).contains("eyJ"))
    }
}
