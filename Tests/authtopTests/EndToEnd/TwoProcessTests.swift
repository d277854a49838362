import Glibc
import Testing

@Suite("A sandbox and a watch", .programs)
struct TwoProcessTests {
    @Test(
        "agree on every message of the feed, and on the pair at the end",
        arguments: Guide.allCases
    )
    func agree(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s", "--reuse", guide.reuse)
            let watch = try bench.watch(guide, at: sandbox.port, for: "12s", "--every", "1s")
            #expect(try await watch.program.ended() == .exit(0))
            #expect(watch.program.errors.lines == [])
            try watch.stream.expectSmoothRenewals(atLeast: 2)

            let report = try await sandbox.report()
            let applied = try watch.stream.appliedMessages
            #expect(applied == report.sent(to: guide))
            #expect(applied == Array(1..<applied.count + 1))
            #expect(report.sockets.allSatisfy { $0.closeCode == 1000 && $0.closedBy == "client" })

            let session = try #require(report.sessions(of: guide).first)
            let last = try #require(try watch.stream.all("tokensIssued").last)
            #expect(report.sessions(of: guide).count == 1)
            #expect(session.generation == last.generation)
            #expect(session.access == last.text("access"))
            // The backend hands none out after the first of melchat.
            #expect(guide == .melchat || session.refresh == last.text("refresh"))
        }
    }

    @Test("speak a dialect at the root as well, where its paths are its own")
    func atRoot() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let program = try bench.authtop(
                [
                    "watch", "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)",
                    "--every", "1s", "--json", "--for", "10s",
                ],
                with: Guide.voltyks.credentials
            )
            #expect(try await program.ended() == .exit(0))
            let stream = EventStream(program.output)
            try stream.expectSmoothRenewals(atLeast: 1)
            let applied = try stream.appliedMessages
            #expect(try await sandbox.report().sent(to: .voltyks) == applied)
        }
    }

    @Test(
        "end at a signal, with the code that a shell expects",
        arguments: [SIGINT, SIGTERM, SIGHUP]
    )
    func signals(number: Int32) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let watch = try bench.watch(.voltyks, at: sandbox.port)
            try await watch.stream.state("fresh")
            watch.program.send(number)
            #expect(try await watch.program.ended() == .exit(128 + number))
            sandbox.program.send(number)
            #expect(try await sandbox.program.ended() == .exit(128 + number))
            #expect(watch.program.errors.lines + sandbox.program.errors.lines == [])
        }
    }

    @Test("two watches of one user live side by side", arguments: Guide.allCases)
    func siblings(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s", "--reuse", guide.reuse)
            let watches = try (1...2).map { _ in
                try bench.watch(guide, at: sandbox.port, for: "9s", "--every", "1s")
            }
            for watch in watches {
                #expect(try await watch.program.ended() == .exit(0))
                try watch.stream.expectSmoothRenewals(atLeast: 1)
            }
            #expect(try await sandbox.report().sessions(of: guide).count == 2)
        }
    }
}
