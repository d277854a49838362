import TestSupport
import Testing

@Suite("A backend of several hosts", .programs)
struct HostTests {
    /// A profile with IDENTITY and API for the ports.
    static let profile = """
        extends = "oauth2"
        base_url = "http://127.0.0.1:IDENTITY/oauth2"
        client_id = "sandbox"
        protected.request = "GET http://127.0.0.1:API/oauth2/resource"
        feed = { path = "ws://127.0.0.1:API/oauth2/ws/feed", token_in = "bearer" }
        """

    @Test("five renewals, a revocation, a logout: each host gets only what is its own")
    func twoHosts() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let identity = try bench.relay(to: sandbox)
            let api = try bench.relay(to: sandbox)
            try bench.write(
                Self.profile.replacing("IDENTITY", with: "\(identity.port)")
                    .replacing("API", with: "\(api.port)"),
                to: "config/authtop/profiles/mine.toml"
            )
            let credentials = [
                "AUTHTOP_MINE_USERNAME": "sandbox", "AUTHTOP_MINE_PASSWORD": "password",
                "AUTHTOP_MINE_CLIENT_SECRET": "secret",
            ]
            let watch = try bench.authtop(
                ["watch", "mine", "--json", "--every", "1s"],
                with: credentials
            )
            let stream = EventStream(watch.output)
            let issued = try await stream.first("tokensIssued")
            let last = try await stream.fiveRenewals(after: issued, rotates: false)
            try await stream.first("a feed with the last token") {
                $0.kind == "feedOpened" && $0.integer("usedGeneration") == last.generation
            }
            try await sandbox.order(#"{"once": "early-revocation:refresh"}"#)
            let over = try await stream.first("signedOut", after: last)
            #expect(over.text("reason") == "revoked")
            #expect(try await watch.ended() == .exit(1))
            for command in ["login", "logout"] {
                let program = try bench.authtop([command, "mine"], with: credentials)
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            }
            #expect(try await sandbox.report().backend.counters["oauth2"]?.logins == 2)
            #expect(try await sandbox.report().backend.counters["oauth2"]?.logouts == 1)
            #expect(Set(api.requests.map(\.path)) == ["/oauth2/resource", "/oauth2/ws/feed"])
            // The sandbox at the base URL is also asked for its faults.
            let paths = Set(identity.requests.map(\.path)).filter { !$0.contains("/__sandbox/") }
            #expect(paths == ["/oauth2/token", "/oauth2/revoke"])
            let dials = try stream.all("feedDialing").compactMap { $0.text("url") }
            #expect(!dials.isEmpty)
            #expect(dials.allSatisfy { $0.hasPrefix("ws://127.0.0.1:\(api.port)/") })
        }
    }

    @Test(
        "a host that cannot be one, or gets tokens in clear text, is named with its exchange",
        arguments: [
            (
                "http://api.example.com",
                "http://api.example.com sends tokens in clear text: use https, or --allow-insecure "
                    + "to permit it"
            ),
            (
                "https://api.example.com:99999",
                "99999 is not a port: use a number from 1 to 65535"
            ),
        ]
    )
    func mistake(origin: String, message: String) async throws {
        try await withBench { bench in
            try bench.write(
                """
                extends = "bitbasel"
                base_url = "https://login.example.com"
                protected.request = "GET \(origin)/posts"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let watch = try bench.authtop(
                ["watch", "mine", "--json"],
                with: ["AUTHTOP_MINE_IDENTITY_TOKEN": "sandbox"]
            )
            #expect(try await watch.ended() == .exit(2))
            #expect(
                watch.errors.lines.joined(separator: " ").contains(
                    "mine.toml: protected: \(message)"
                )
            )
        }
    }
}
