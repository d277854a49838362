import Foundation
import TestSupport
import Testing

@Suite("authtop logout", .programs)
struct LogoutCommandTests {
    @Test("erases the session here and says what the backend knows", arguments: Guide.allCases)
    func here(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(guide, at: sandbox.port)
            let logout = try await bench.operation("logout", guide, at: sandbox.port)
            #expect(logout.ending == .exit(0), "\(logout.errors.text)")
            let isRevoked = guide == .melchat || guide == .intellipost
            let end =
                switch guide {
                case .melchat: "the backend acknowledged"
                case .intellipost:
                    "the backend acknowledged, but the request identifies no session: it cannot know "
                        + "which one ended"
                case .voltyks, .bitbasel, .creatist:
                    "the profile has no logout at the backend, where the session lives on until it "
                        + "expires"
                }
            let message = try Regex("^\(guide.rawValue): logged out here in [0-9.]+ m?s; \(end)$")
            // Where the profile says so, it also says what was erased besides.
            #expect(logout.output.lines.count == (guide == .intellipost ? 2 : 1))
            #expect(logout.output.lines[0].contains(message), "\(logout.output.text)")
            #expect(try await sandbox.report().counters(of: guide)?.logouts == (isRevoked ? 1 : 0))
            let again = try await bench.operation("logout", guide, at: sandbox.port)
            #expect(again.ending == .exit(1))
            let nothing =
                "authtop: \(guide.rawValue): no session is stored, so there is nothing to end"
            #expect(again.errors.lines == [nothing])
        }
    }

    @Test("everywhere works where the backend has it, and is bad input elsewhere")
    func everywhere() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let logout = try await bench.operation("logout", .melchat, at: sandbox.port, "--all")
            #expect(logout.ending == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.text.contains("logged out everywhere"))
            let other = try await bench.operation("logout", .voltyks, at: sandbox.port, "--all")
            #expect(other.ending == .exit(2))
            #expect(other.errors.text.contains("no logout everywhere"))
        }
    }

    @Test("tells in its lines how long it took until no pair was stored")
    func erasure() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let logout = try await bench.operation("logout", .melchat, at: sandbox.port, "--json")
            let erased = try await EventStream(logout.output).first("erased")
            let milliseconds = try #require(erased.number("ms"))
            // 100 ms are meant; the machine and its disk may be busy.
            #expect(milliseconds > 0 && milliseconds < 5_000)
        }
    }

    /// The program that is started first once the network is back.
    enum Next: String, CaseIterable, Sendable {
        case watch
        case status
        case login
        case logout
    }

    @Test(
        "without the network leaves no pair that can be read; the next start tells the backend",
        arguments: Next.allCases
    )
    func offline(next: Next) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.melchat, at: relay.port)
            let scan = TokenScan(TokenHarvest(relay).tokens)
            try await relay.refuse()
            let logout = try await bench.operation("logout", .melchat, at: relay.port)
            #expect(logout.ending == .exit(0))
            #expect(logout.output.text.contains("revocation pending"))
            #expect(try await sandbox.report().counters(of: .melchat)?.logouts == 0)
            for file in try bench.files {
                let content = try #require(FileManager.default.contents(atPath: file))
                #expect(scan.forms(in: content) == [], "\(file)")
            }
            let pending = try await bench.operation("status", .melchat, at: relay.port)
            #expect(pending.ending == .exit(1))
            #expect(pending.output.text.contains("1 logout not sent to the backend yet"))
            // A file of credentials may have those that a logout does not need.
            let file = try bench.writePrivately("code = 1\nshoe = 1\n", to: "login")
            let named = try await bench.operation(
                "status",
                .melchat,
                at: relay.port,
                "--credentials",
                file
            )
            #expect(named.ending == .exit(2))
            #expect(named.errors.text.contains("login:2: unknown credential \"shoe\", expected "))
            try bench.writePrivately("code = 1\n", to: "login")
            let known = try await bench.operation(
                "status",
                .melchat,
                at: relay.port,
                "--credentials",
                file
            )
            #expect(known.ending == .exit(1), "\(known.errors.text)")

            try await relay.accept()
            switch next {
            case .watch:
                let watch = try bench.watch(.melchat, at: relay.port, "--vault", "file")
                try await watch.stream.first("the revocation") { $0.text("phase") == "done" }
            case .login: _ = try await bench.logIn(.melchat, at: relay.port)
            case .status, .logout:
                let operation = try await bench.operation(next.rawValue, .melchat, at: relay.port)
                #expect(operation.ending == .exit(1))
            }
            #expect(try await sandbox.report().counters(of: .melchat)?.logouts == 1)
            let status = try await bench.operation("status", .melchat, at: relay.port, "--json")
            #expect(try JSON.object(in: status.output.text)["outbox"]?.number == 0)
        }
    }
}
