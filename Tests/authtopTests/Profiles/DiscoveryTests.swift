import TestSupport
import Testing

@Suite("authtop profiles init --issuer", .programs)
struct DiscoveryTests {
    /// A server whose metadata names the sandbox's endpoints.
    private func provider(
        of sandbox: Sandbox,
        on bench: Bench,
        issuer: String? = nil,
        at path: String
    ) throws -> LoopbackServer {
        let base = "http://127.0.0.1:\(sandbox.port)/oauth2"
        return bench.keep(
            try LoopbackServer { request in
                guard request.path == path else { return Answers.json(404, "{}") }
                let own =
                    issuer ?? "http://\(request.headers.first { $0.name == "host" }?.value ?? "")"
                return Answers.json(
                    200,
                    """
                    {"issuer": "\(own)", "token_endpoint": "\(base)/token",
                    "revocation_endpoint": "\(base)/revoke",
                    "userinfo_endpoint": "\(base)/resource", "grant_types_supported": ["password"]}
                    """
                )
            }
        )
    }

    @Test(
        "writes a profile that can be watched as it is",
        arguments: [
            "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
        ]
    )
    func watched(path: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let provider = try provider(of: sandbox, on: bench, at: path)
            let issuer = "http://127.0.0.1:\(provider.port)"
            let written = try bench.authtop(["profiles", "init", "found", "--issuer", issuer])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let watch = try bench.authtop(
                ["watch", "found", "--vault", "memory", "--json"],
                with: [
                    "AUTHTOP_FOUND_USERNAME": "sandbox",
                    "AUTHTOP_FOUND_PASSWORD": "password", "AUTHTOP_FOUND_CLIENT_ID": "sandbox",
                    "AUTHTOP_FOUND_CLIENT_SECRET": "secret",
                ]
            )
            let stream = EventStream(watch.output)
            _ = try await stream.first("refreshSucceeded")
            try await watch.interrupt()
        }
    }

    @Test("writes the sign-in with a browser where the server has one, and it works as it is")
    func browser() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let issuer = "http://127.0.0.1:\(sandbox.port)/oauth2"
            let written = try bench.authtop(
                ["profiles", "init", "found", "--issuer", issuer, "--client-id", "sandbox"]
            )
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let login = try bench.authtop(["login", "found", "--no-browser"])
            let address = try await login.signInAddress()
            _ = try await HandMadeBrowser.open(address + "&sandbox=approve")
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
        }
    }

    @Test("adds what only the other document names, as that of RFC 8414 does for revocation")
    func twoDocuments() async throws {
        try await withBench { bench in
            let provider = bench.keep(
                try LoopbackServer { request in
                    let origin = "http://\(request.values(of: "host").first ?? "")"
                    let common = """
                        "issuer": "\(origin)", "token_endpoint": "\(origin)/token",
                        "authorization_endpoint": "\(origin)/authorize",
                        "code_challenge_methods_supported": ["S256"]
                        """
                    switch request.path {
                    case "/.well-known/openid-configuration":
                        return Answers.json(
                            200,
                            "{\(common), \"userinfo_endpoint\": \"\(origin)/userinfo\"}"
                        )
                    case "/.well-known/oauth-authorization-server":
                        return Answers.json(
                            200,
                            "{\(common), \"revocation_endpoint\": \"\(origin)/revoke\"}"
                        )
                    default: return Answers.json(404, "{}")
                    }
                }
            )
            let issuer = "http://127.0.0.1:\(provider.port)"
            let written = try bench.authtop(["profiles", "init", "found", "--issuer", issuer])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let shown = try bench.authtop(["profiles", "show", "found"])
            #expect(try await shown.ended() == .exit(0), "\(shown.errors.text)")
            #expect(shown.output.text.contains("/revoke"), "\(shown.output.text)")
            #expect(shown.output.text.contains("/userinfo"), "\(shown.output.text)")
        }
    }

    @Test("does not repeat a password in the URL")
    func password() async throws {
        try await withBench { bench in
            let issuer = "https://me:s3cr3t@id.example.com"
            let refused = try bench.authtop(["profiles", "init", "found", "--issuer", issuer])
            #expect(try await refused.ended() == .exit(2))
            #expect(refused.errors.text.contains("--issuer: expected https, or this machine"))
            #expect(!refused.errors.text.contains("s3cr3t"))
        }
    }

    @Test("refuses the metadata of another issuer, and writes nothing")
    func otherIssuer() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let provider = try provider(
                of: sandbox,
                on: bench,
                issuer: "https://evil.example",
                at: "/.well-known/openid-configuration"
            )
            let issuer = "http://127.0.0.1:\(provider.port)"
            for _ in 0..<2 {
                let refused = try bench.authtop(["profiles", "init", "found", "--issuer", issuer])
                #expect(try await refused.ended() == .exit(2))
                #expect(
                    refused.errors.text.contains(
                        "is of the issuer https://evil.example, expected \(issuer)"
                    )
                )
            }
        }
    }
}
