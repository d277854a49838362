import Testing

@Suite("authtop logout", .programs)
struct LogoutCommandTests {
    @Test("erases the session here and says what the backend knows", arguments: Guide.allCases)
    func here(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(guide, at: sandbox.port)
            let logout = try await bench.act("logout", guide, at: sandbox.port)
            #expect(logout.ending == .exit(0), "\(logout.errors.text)")
            let isTold = guide == .melchat || guide == .intellipost
            let end = isTold ? "the backend acknowledged" : "the backend has no endpoint for it"
            #expect(logout.output.lines == ["\(guide.rawValue): signed out here; \(end)"])
            #expect(try await sandbox.report().counters(of: guide)?.logouts == (isTold ? 1 : 0))
            let again = try await bench.act("logout", guide, at: sandbox.port)
            #expect(again.ending == .exit(1))
        }
    }

    @Test("everywhere works where the backend has it, and is bad input elsewhere")
    func everywhere() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let logout = try await bench.act("logout", .melchat, at: sandbox.port, "--all")
            #expect(logout.ending == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.text.contains("signed out everywhere"))
            let other = try await bench.act("logout", .voltyks, at: sandbox.port, "--all")
            #expect(other.ending == .exit(2))
            #expect(other.errors.text.contains("no logout everywhere"))
        }
    }

    @Test("without the network is done here, and the next start tells the backend")
    func offline() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.intellipost, at: relay.port)
            relay.refuse()
            let logout = try await bench.act("logout", .intellipost, at: relay.port)
            #expect(logout.ending == .exit(0))
            #expect(logout.output.text.contains("revocation pending"))
            #expect(try await sandbox.report().counters(of: .intellipost)?.logouts == 0)
            relay.accept()
            let watch = try bench.watch(
                .intellipost,
                at: relay.port,
                "--vault",
                "file",
                credentials: Guide.intellipost.credentials
            )
            try await watch.story.first("the revocation") { $0.text("phase") == "done" }
            #expect(try await sandbox.report().counters(of: .intellipost)?.logouts == 1)
        }
    }
}
