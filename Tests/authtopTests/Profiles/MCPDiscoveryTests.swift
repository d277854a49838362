import TestSupport
import Testing

/// An MCP server whose documents say what a test wants.
struct StatedServer: Sendable {
    /// In place of its own URL.
    var resource: String?
    /// In place of its own origin.
    var issuer: String?
    /// In place of the document on the resource.
    var document: String?
    /// Whether its challenge names the document on the resource.
    var isNamed = true
    /// Whether it answers without a token.
    var isOpen = false
    /// Whether it is also an OpenID provider, whose document has no endpoint for registration.
    var isOpenID = false
    /// The answer to any other path.
    var other = Answers.json(404, "{}")
    /// The answer to a registration.
    var registration = (status: 201, body: #"{"client_id": "registered"}"#)

    func answer(to request: HTTPMessage) -> String {
        let origin = "http://\(request.values(of: "host").first ?? "")"
        let place = "/.well-known/oauth-protected-resource/mcp"
        switch request.path {
        case "/mcp" where isOpen: return Answers.json(200, "{}")
        case "/mcp":
            let named = isNamed ? "Bearer resource_metadata=\"\(origin)\(place)\"" : "Bearer"
            return "HTTP/1.1 401 Because\r\nWWW-Authenticate: \(named)\r\nContent-Length: 0\r\n\r\n"
        case place:
            return Answers.json(
                200,
                document
                    ?? """
                    {"resource": "\(resource ?? origin + "/mcp")", "authorization_servers": ["\(origin)"],
                    "scopes_supported": ["read"]}
                    """
            )
        case "/.well-known/oauth-authorization-server":
            return Answers.json(
                200,
                """
                {"issuer": "\(issuer ?? origin)", "authorization_endpoint": "\(origin)/authorize",
                "token_endpoint": "\(origin)/token", "registration_endpoint": "\(origin)/register",
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": ["none"],
                "code_challenge_methods_supported": ["S256"]}
                """
            )
        case "/.well-known/openid-configuration" where isOpenID:
            return Answers.json(
                200,
                """
                {"issuer": "\(origin)", "authorization_endpoint": "\(origin)/authorize",
                "token_endpoint": "\(origin)/token", "code_challenge_methods_supported": ["S256"]}
                """
            )
        case "/register": return Answers.json(registration.status, registration.body)
        default: return other
        }
    }
}

@Suite("authtop profiles init --mcp", .programs)
struct MCPDiscoveryTests {
    private func start(_ server: StatedServer, on bench: Bench) throws -> String {
        let listener = bench.keep(try LoopbackServer { server.answer(to: $0) })
        return "http://127.0.0.1:\(listener.port)/mcp"
    }

    @Test(
        "writes a profile for a resource that a challenge names, or its usual place, pages aside"
    )
    func written() async throws {
        let page = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"
        for server in [
            StatedServer(), StatedServer(isNamed: false), StatedServer(other: page),
        ] {
            try await withBench { bench in
                let url = try start(server, on: bench)
                let written = try bench.authtop(["profiles", "init", "found", "--mcp", url])
                #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
                let shown = try bench.authtop(["profiles", "show", "found"])
                #expect(try await shown.ended() == .exit(0), "\(shown.errors.text)")
                #expect(shown.output.text.contains("resource = \"\(url)\""), "\(shown.output.text)")
                #expect(shown.output.text.contains("scope = \"read\""))
                let valid = try bench.authtop(["profiles", "validate", "found"])
                #expect(try await valid.ended() == .exit(0), "\(valid.errors.text)")
            }
        }
    }

    @Test(
        "refuses a server that lies, and writes nothing",
        arguments: [
            (
                StatedServer(resource: "https://other.example/mcp"),
                "is of the resource https://other.example/mcp, expected http://127.0.0.1:"
            ),
            (
                StatedServer(issuer: "https://evil.example"),
                "is of the issuer https://evil.example, expected http://127.0.0.1:"
            ),
            (
                StatedServer(document: "<html>"),
                "/.well-known/oauth-protected-resource/mcp: expected a JSON object"
            ),
            (StatedServer(isOpen: true), "answered 200 without a token: it needs no login"),
        ]
    )
    func refused(server: StatedServer, message: String) async throws {
        try await withBench { bench in
            let url = try start(server, on: bench)
            for _ in 0..<2 {
                let refused = try bench.authtop(["profiles", "init", "found", "--mcp", url])
                #expect(try await refused.ended() == .exit(2))
                #expect(refused.errors.text.contains(message), "\(refused.errors.text)")
            }
        }
    }

    @Test(
        "a registration that is refused fails the login with the server's reason",
        arguments: [
            (400, "the server answered 400: invalid_redirect_uri"),
            (200, "the answer has no client_id, and says: invalid_redirect_uri"),
        ]
    )
    func unregistered(status: Int, message: String) async throws {
        try await withBench { bench in
            let body = #"{"error": "invalid_redirect_uri"}"#
            let url = try start(StatedServer(registration: (status, body)), on: bench)
            let written = try bench.authtop(["profiles", "init", "found", "--mcp", url])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let login = try bench.authtop(["login", "found", "--no-browser"])
            #expect(try await login.ended() == .exit(2))
            #expect(login.errors.text.contains(message), "\(login.errors.text)")
        }
    }

    @Test("a registered client is the one that the browser names, at this login and the next")
    func registered() async throws {
        try await withBench { bench in
            let url = try start(StatedServer(), on: bench)
            let written = try bench.authtop(
                ["profiles", "init", "found", "--mcp", url, "--redirect-port", "0"]
            )
            #expect(try await written.ended() == .exit(2))
            let valid = try bench.authtop(["profiles", "init", "found", "--mcp", url])
            #expect(try await valid.ended() == .exit(0), "\(valid.errors.text)")
            for _ in 0..<2 {
                let login = try bench.authtop(["login", "found", "--no-browser"])
                let address = try await login.signInAddress()
                #expect(address.contains("client_id=registered&"), "\(address)")
                #expect(address.contains("resource=http%3A%2F%2F127.0.0.1%3A"), "\(address)")
                try await login.interrupt()
            }
        }
    }

    @Test("an OpenID provider is read as an authorization server, which registers clients")
    func openID() async throws {
        try await withBench { bench in
            let url = try start(StatedServer(isOpenID: true), on: bench)
            let written = try bench.authtop(["profiles", "init", "found", "--mcp", url])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let shown = try bench.authtop(["profiles", "show", "found"])
            #expect(try await shown.ended() == .exit(0), "\(shown.errors.text)")
            #expect(shown.output.text.contains("/register"), "\(shown.output.text)")
        }
    }

    @Test("a login for another scope takes the place of the session, and one without keeps it")
    func scope() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let url = "http://127.0.0.1:\(sandbox.port)/oauth2/mcp"
            let browser = ["BROWSER": "\(try bench.silentBrowser()) %s&sandbox=approve"]
            let written = try bench.authtop(["profiles", "init", "found", "--mcp", url])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            func logIn(_ options: String...) async throws -> Program {
                let login = try bench.authtop(["login", "found"] + options, with: browser)
                #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
                return login
            }
            _ = try await logIn()
            #expect(try await logIn().output.text.contains("already logged in"))
            let more = try await logIn("--scope", "read write")
            #expect(try await more.signInAddress().contains("scope=read%20write&"))
            #expect(more.output.text.contains("the session before is not ended at the backend"))
            #expect(try await sandbox.report().backend.counters["oauth2"]?.logins == 2)
            let refresh = try bench.authtop(["refresh", "found"])
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
        }
    }

    @Test(
        "a fault of the sandbox's own server is named by a check",
        arguments: [
            (["kept-refresh-token"], ["policy.name": "static"], 1),
            // A check that is not quick names it, by the time for which a token is accepted again.
            (["accepted-reuse"], [:], 1),
            (["missing-scope"], ["policy.name": "strict"], 1),
            (["missing-audience"], ["policy.name": "strict"], 1),
            ([], ["policy.name": "strict"], 0),
        ] as [([String], [String: String], Int32)]
    )
    func faults(faults: [String], expected: [String: String], exit: Int32) async throws {
        try await withBench { bench in
            let options = faults.flatMap { ["--faults", $0] }
            let sandbox = try await bench.sandbox(["--access-ttl", "10m"] + options)
            let check = try bench.authtop(
                [
                    "check", "--mcp", "http://127.0.0.1:\(sandbox.port)/oauth2/mcp", "--quick",
                    "--json", "--expect", "policy=strict,audience=kept,scope=kept",
                ],
                with: ["BROWSER": "\(try bench.silentBrowser()) %s&sandbox=approve"]
            )
            #expect(try await check.ended() == .exit(exit), "\(check.errors.text)")
            let report = JSON.object(try JSON.object(in: check.output.text))
            for (path, value) in expected {
                #expect(report[path] == .text(value), "\(check.output.text)")
            }
            let lost = faults.first.flatMap { $0.split(separator: "-").last }
            if let lost, faults[0].hasPrefix("missing") {
                let claim = lost == "audience" ? "aud" : String(lost)
                #expect(check.output.text.contains(claim), "\(check.output.text)")
            }
        }
    }

    @Test(
        "a fault of the sandbox's own server ends a check before it begins",
        arguments: [
            ("wrong-resource", "is of the resource https://other.invalid/mcp, expected"),
            ("wrong-issuer", "is of the issuer https://other.invalid, expected"),
            ("missing-pkce", "has no login with a browser and PKCE"),
            ("refused-registration", "400: clients are registered by an administrator"),
        ]
    )
    func refusedFaults(fault: String, message: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(["--faults", fault])
            let check = try bench.authtop(
                [
                    "check", "--mcp", "http://127.0.0.1:\(sandbox.port)/oauth2/mcp", "--quick",
                ],
                with: ["BROWSER": "\(try bench.silentBrowser()) %s&sandbox=approve"]
            )
            #expect(try await check.ended() == .exit(2))
            #expect(check.errors.text.contains(message), "\(check.errors.text)")
        }
    }

    @Test("the sandbox is one, which is logged in to, renewed, and checked")
    func sandbox() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let url = "http://127.0.0.1:\(sandbox.port)/oauth2/mcp"
            let browser = ["BROWSER": "\(try bench.silentBrowser()) %s&sandbox=approve"]
            let written = try bench.authtop(["profiles", "init", "found", "--mcp", url])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let trial = try bench.authtop(
                ["profiles", "validate", "found", "--try"],
                with: browser
            )
            #expect(try await trial.ended() == .exit(0), "\(trial.errors.text)")
            #expect(trial.output.text.contains("used the token"), "\(trial.output.text)")
            let check = try bench.authtop(
                [
                    "check", "--mcp", url, "--quick", "--json", "--expect",
                    "policy=strict,audience=kept,scope=kept,resource=refused",
                ],
                with: browser
            )
            #expect(try await check.ended() == .exit(0), "\(check.errors.text)")
            #expect(check.output.text.contains("a refresh for another resource is refused"))
        }
    }
}
