import TestSupport
import Testing

/// Logins with a token that another server has issued or signed, verified by an OpenID provider
/// that is not ours.
@Suite(
    "A login with another token",
    .programs,
    .enabled("python3-authlib and python3-flask are not installed") {
        await OpenIDProvider.isInstalled()
    }
)
struct AssertionGrantTests {
    @Test("exchanges it (RFC 8693), again and again, and is refused with one that is not valid")
    func exchange() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 600)
            let subject = try await token(of: provider, on: bench)
            let path = try bench.write(subject + "\n", to: "subject")
            let profile = try bench.profile(
                "exchange",
                of: provider,
                """
                grant = "token_exchange"
                credentials.subject_token_command = ["cat", "\(path)"]
                """
            )
            try await expectLogins(profile, on: bench, hiding: subject)
            try bench.write("no token\n", to: "subject")
            let logout = try bench.authtop(["logout", profile])
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            try await expectRefusal(profile, "the subject_token is not valid", on: bench)
        }
    }

    @Test("presents an assertion (RFC 7523 section 2.1), and is refused with another's signature")
    func assertion() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 600)
            for (key, isRight) in [("es256.pem", true), ("jwk.json", false)] {
                let script = """
                    import json, sys, time; from authlib.jose import JsonWebKey, jwt; \
                    text = open(sys.argv[1]).read(); \
                    key = JsonWebKey.import_key(json.loads(text) if text[0] == '{' else text); \
                    print(jwt.encode({'alg': 'ES256'}, {'iss': 'es256', 'sub': 'me', \
                    'aud': 'provider', 'exp': int(time.time()) + 60}, key).decode())
                    """
                let command = [Program.python, "-c", script, "\(provider.keys)/\(key)"]
                let list = command.map { "\"\($0)\"" }.joined(separator: ", ")
                let profile = try bench.profile(
                    "signed-by-\(key.prefix { $0 != "." })",
                    of: provider,
                    """
                    grant = "jwt_bearer"
                    credentials.assertion_command = [\(list)]
                    """
                )
                guard isRight else {
                    try await expectRefusal(profile, "invalid_grant", on: bench)
                    continue
                }
                try await expectLogins(profile, on: bench, hiding: "eyJ")
            }
        }
    }

    @Test("presents assertions that the client signs itself, and is refused with another's key")
    func signed() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 600)
            for (key, isRight) in [("es256.pem", true), ("jwk.json", false)] {
                let profile = try bench.profile(
                    "signs-with-\(key.prefix { $0 != "." })",
                    of: provider,
                    """
                    grant = "jwt_bearer"
                    client_auth = "public"
                    client_assertion.key = "\(provider.keys)/\(key)"
                    login.assertion = { issuer = "es256", subject = "me" }
                    """
                )
                guard isRight else {
                    try await expectRefusal(profile, "invalid_grant", on: bench)
                    continue
                }
                try await expectLogins(profile, on: bench, hiding: "eyJ")
            }
        }
    }

    /// Signs in on any device, and returns the access token.
    private func token(of provider: OpenIDProvider, on bench: Bench) async throws -> String {
        let profile = try bench.profile(of: provider, "grant = \"device_code\"")
        let login = try bench.authtop(["login", profile, "--json"])
        let requested = try await EventStream(login.output).first("authorizationRequested")
        let code = try #require(requested.text("userCode"))
        try await provider.post("username=me&password=pw12345&user_code=\(code)", to: "/device")
        #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
        let token = try bench.authtop(["token", profile])
        #expect(try await token.ended() == .exit(0), "\(token.errors.text)")
        let text = try #require(token.output.lines.first)
        return text
    }

    /// Logs in, and renews by another login.
    private func expectLogins(
        _ profile: String,
        on bench: Bench,
        hiding secret: String
    ) async throws {
        for command in [["login", profile], ["refresh", profile, "--json"]] {
            let program = try bench.authtop(command)
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(!(program.output.text + program.errors.text).contains(secret))
        }
    }

    private func expectRefusal(
        _ profile: String,
        _ message: String,
        on bench: Bench
    ) async throws {
        let login = try bench.authtop(["login", profile])
        #expect(try await login.ended() == .exit(1))
        #expect(login.errors.text.contains(message), "\(login.errors.text)")
    }
}
