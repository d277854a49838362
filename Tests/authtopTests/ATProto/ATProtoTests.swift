import TestSupport
import Testing

@Suite(
    "A server of atproto: pushed parameters, and proofs with nonces that change",
    .programs,
    .enabled("python3-cryptography is not installed") { await ATProtoServer.isInstalled() }
)
struct ATProtoTests {
    @Test("is watched through five rotations, with every nonce refused that is not the newest")
    func rotations() async throws {
        try await withBench { bench in
            let server = try await bench.atprotoServer(lifetime: 8)
            let path = try bench.write(server.profile, to: "mine.toml")
            let watch = try bench.authtop(
                ["watch", path, "--json", "--every", "500ms", "--for", "120s"],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            let stream = EventStream(watch.output)
            let issued = try await stream.first("tokensIssued")
            _ = try await stream.fiveRenewals(after: issued)
            let report = try await server.report()
            #expect(report.problems == [])
            #expect(report.pushed == 1 && report.logins == 1)
            #expect(report.refreshes >= 5 && report.reused == 0)
            // That of the pushed request, and those that were changed in between.
            #expect(report.nonces >= 2)
            #expect(report.requests >= 1)
        }
    }

    @Test(
        "is checked, and what a challenge for a nonce leaves is no doubt about other probes",
        arguments: [400, 401]
    )
    func checked(challenge: Int) async throws {
        try await withBench { bench in
            let server = try await bench.atprotoServer(lifetime: 120, challenge: challenge)
            let path = try bench.write(server.profile, to: "mine.toml")
            let check = try bench.authtop(
                [
                    "check", path, "--only", "login,accept,refresh,reuse,race,nonce,logout",
                    "--expect", "policy=strict-revoke,nonce=kept",
                ],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await check.ended() == .exit(0), "\(check.errors.text)")
            let text = check.output.text
            #expect(!text.contains("inconclusive"), "\(text)")
            #expect(text.contains("after a logout: the refresh token dies"), "\(text)")
            #expect(text.contains("two refreshes at once end the session"), "\(text)")
        }
    }

    @Test("is logged in to, renewed, asked and logged out of by runs that know no nonce")
    func runs() async throws {
        try await withBench { bench in
            let server = try await bench.atprotoServer(lifetime: 120)
            let path = try bench.write(server.profile, to: "mine.toml")
            let commands = [
                ["login", path], ["refresh", path], ["refresh", path],
                ["request", path, "GET", "/xrpc/com.atproto.server.getSession"], ["logout", path],
            ]
            for command in commands {
                let program = try bench.authtop(
                    command,
                    with: command[0] == "login" ? ["BROWSER": try bench.silentBrowser()] : [:]
                )
                #expect(try await program.ended() == .exit(0), "\(command): \(program.errors.text)")
            }
            let report = try await server.report()
            #expect(report.problems == [])
            #expect(report.refreshes == 2 && report.reused == 0)
            #expect(report.requests == 1)
            #expect(report.revocations == 1)
        }
    }
}
