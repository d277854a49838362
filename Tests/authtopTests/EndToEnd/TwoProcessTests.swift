import Glibc
import TestSupport
import Testing

@Suite("A sandbox and a watch", .programs)
struct TwoProcessTests {
    @Test(
        "agree on every message of the feed, and on the pair at the end",
        arguments: Guide.allCases
    )
    func agree(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "9s", "--reuse", guide.reuse)
            let watch = try bench.watch(guide, at: sandbox.port, "--every", "1s")
            // The next renewal is seconds away then: none is in progress at the end.
            try await watch.stream.feedSwitches(3)
            try await watch.program.interrupt()
            #expect(watch.program.errors.lines == [])
            try watch.stream.expectSmoothRenewals(atLeast: 2)

            let report = try await eventually("the end of every socket") {
                let report = try await sandbox.report()
                return report.sockets.allSatisfy { $0.closedAt != nil } ? report : nil
            }
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
            let sandbox = try await bench.sandbox("--access-ttl", "9s")
            let program = try bench.authtop(
                [
                    "watch", "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)",
                    "--every", "1s", "--json", "--for", "120s",
                ],
                with: Guide.voltyks.credentials
            )
            let stream = EventStream(program.output)
            try await stream.feedSwitches(2)
            try await program.interrupt()
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
            let sandbox = try await bench.sandbox("--access-ttl", "9s", "--reuse", guide.reuse)
            let watches = try (1...2).map { _ in
                try bench.watch(guide, at: sandbox.port, "--every", "1s")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for watch in watches {
                    group.addTask {
                        try await watch.stream.feedSwitches(2)
                        try await watch.program.interrupt()
                        try watch.stream.expectSmoothRenewals(atLeast: 1)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await sandbox.report().sessions(of: guide).count == 2)
        }
    }
}
