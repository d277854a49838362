import Glibc
import TestSupport
import Testing

@Suite("Providers, served by the sandbox", .programs)
struct ProviderTests {
    /// The user's profile, and the sandbox's reading of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The user's lines, with `ORIGIN` and `OTHER` for two addresses of the sandbox.
        let lines: String
        /// The causes that the refusal of a revoked session leaves open.
        let causes: [String]
        let reason: String
        /// Whether a logout tells the backend.
        let logsOut: Bool

        var testDescription: String { name }
    }

    private static func passwordGrant(_ name: String) -> String {
        """
        extends = "\(name)"
        base_url = "ORIGIN"
        client_id = "sandbox"
        grant = "password"
        """
    }

    static let cases = [
        Case(
            name: "keycloak",
            lines: """
                extends = "keycloak"
                base_url = "ORIGIN"
                client_id = "sandbox"
                grant = "password"
                """,
            causes: ["revoked", "inactive", "sessionEnded"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "auth0",
            lines: Self.passwordGrant("auth0"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "okta",
            lines: Self.passwordGrant("okta"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "entra",
            lines: Self.passwordGrant("entra"),
            causes: ["revoked"],
            reason: "revoked",
            logsOut: false
        ),
        Case(
            name: "supabase",
            lines: """
                extends = "supabase"
                base_url = "ORIGIN"
                headers = { apikey = "project-key" }
                """,
            causes: ["revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "firebase",
            lines: """
                extends = "firebase"
                base_url = "ORIGIN"
                refresh.request = "POST OTHER/v1/token"
                headers = { X-Goog-Api-Key = "project-key" }
                """,
            causes: ["revoked", "expired"],
            reason: "revoked",
            logsOut: false
        ),
        Case(
            name: "cognito",
            lines: """
                extends = "cognito"
                base_url = "ORIGIN"
                client_id = "sandbox"
                """,
            causes: ["revoked"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "authentik",
            lines: Self.passwordGrant("authentik"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "better-auth",
            lines: Self.passwordGrant("better-auth"),
            causes: ["usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "clerk",
            lines: Self.passwordGrant("clerk"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: false
        ),
        Case(
            name: "discord",
            lines: Self.passwordGrant("discord"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "github",
            lines: Self.passwordGrant("github"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: false
        ),
        Case(
            name: "gitlab",
            lines: Self.passwordGrant("gitlab"),
            causes: ["usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "google",
            lines: Self.passwordGrant("google"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "logto",
            lines: Self.passwordGrant("logto"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: false
        ),
        Case(
            name: "ory",
            lines: Self.passwordGrant("ory"),
            causes: ["usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "slack",
            lines: Self.passwordGrant("slack"),
            causes: ["usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "spotify",
            lines: Self.passwordGrant("spotify"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: false
        ),
        Case(
            name: "workos",
            lines: Self.passwordGrant("workos"),
            causes: ["expired", "usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
        Case(
            name: "zitadel",
            lines: Self.passwordGrant("zitadel"),
            causes: ["usedElsewhere", "revoked", "forgotten"],
            reason: "revoked",
            logsOut: true
        ),
    ]

    @Test("five renewals, a revocation and a logout, with at most four lines", arguments: cases)
    func watched(provider: Case) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let first = try bench.relay(to: sandbox)
            let other = try bench.relay(to: sandbox)
            let lines =
                provider.lines
                .replacing("ORIGIN", with: "http://127.0.0.1:\(first.port)/\(provider.name)")
                .replacing("OTHER", with: "http://127.0.0.1:\(other.port)/\(provider.name)")
            #expect(lines.split(separator: "\n").count <= 4)
            try bench.write(lines, to: "config/authtop/profiles/mine.toml")
            let watch = try bench.authtop(["watch", "mine", "--json"], with: Self.credentials)
            let stream = EventStream(watch.output)
            var last = try await stream.first("tokensIssued")
            for _ in 0..<5 { last = try await stream.first("refreshSucceeded", after: last) }
            #expect(try stream.all("refreshFailed").isEmpty)

            try await sandbox.order(#"{"once": "early-revocation:refresh"}"#)
            let refused = try await stream.first("refreshTokenRefused", after: last)
            #expect(refused["possibleCauses"] == .list(provider.causes.map(JSON.text)))
            let over = try await stream.first("signedOut", after: refused)
            #expect(over.text("reason") == provider.reason)
            #expect(try await watch.ended() == .exit(1))

            let login = try bench.authtop(["login", "mine"], with: Self.credentials)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let logout = try bench.authtop(["logout", "mine"], with: Self.credentials)
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            let counters = try await sandbox.report().backend.counters[provider.name]
            #expect(counters?.logins == 2)
            #expect(counters?.refreshes ?? 0 >= 6)
            #expect(counters?.logouts == (provider.logsOut ? 1 : 0))
            if provider.name == "firebase" {
                #expect(first.requests.allSatisfy { !$0.path.hasSuffix("/v1/token") })
                #expect(other.requests.contains { $0.path.hasSuffix("/v1/token") })
            }
        }
    }

    @Test("a logout that needs a live access token renews first; if it cannot, it ends here alone")
    func renewedLogout() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let lines = """
                extends = "supabase"
                base_url = "http://127.0.0.1:\(sandbox.port)/supabase"
                headers = { apikey = "project-key" }
                """
            try bench.write(lines, to: "config/authtop/profiles/mine.toml")
            for isReachable in [true, false] {
                let login = try bench.authtop(["login", "mine"], with: Self.credentials)
                #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
                let end = ContinuousClock.now + .seconds(4)
                try await eventually("the token's end") { ContinuousClock.now > end }
                if !isReachable {
                    sandbox.program.send(SIGKILL)
                    try await sandbox.program.ended()
                }
                let logout = try bench.authtop(["logout", "mine"], with: Self.credentials)
                #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
                #expect(
                    logout.output.text.contains(
                        isReachable ? "the backend acknowledged" : "which has expired"
                    ),
                    "\(logout.output.text)"
                )
                guard isReachable else { continue }
                let counters = try await sandbox.report().backend.counters["supabase"]
                #expect(counters?.refreshes == 1)
                #expect(counters?.logouts == 1)
            }
        }
    }

    @Test("the list says that a provider's profile was written by documentation")
    func marked() async throws {
        try await withBench { bench in
            let list = try bench.authtop(["profiles", "list"])
            #expect(try await list.ended() == .exit(0))
            let marked = list.output.lines
                .filter { $0.hasSuffix("by documentation, not run against the service") }
                .compactMap { $0.split(separator: " ").first }
            #expect(
                marked == [
                    "auth0", "authentik", "better-auth", "clerk", "cognito", "discord", "entra",
                    "firebase", "github", "gitlab", "google", "keycloak", "logto", "okta", "ory",
                    "slack", "spotify", "supabase", "workos", "zitadel",
                ]
            )
        }
    }

    private static let credentials = [
        "AUTHTOP_MINE_USERNAME": "sandbox", "AUTHTOP_MINE_EMAIL": "user@example.com",
        "AUTHTOP_MINE_PASSWORD": "password", "AUTHTOP_MINE_CLIENT_SECRET": "secret",
    ]
}
