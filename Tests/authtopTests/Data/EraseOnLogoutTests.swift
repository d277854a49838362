import Foundation
import TestSupport
import Testing

@Suite("What a profile erases with a logout", .programs)
struct EraseOnLogoutTests {
    @Test("logout leaves nothing of a session where the profile says so, and says so itself")
    func command() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let log = bench.home + "/log"
            let watch = try bench.watch(
                .intellipost,
                at: sandbox.port,
                "--vault",
                "file",
                "--log",
                log
            )
            try await watch.stream.first("refreshSucceeded")
            watch.program.send(SIGTERM)
            try await watch.program.ended()
            #expect(try bench.stateNames.contains { $0.hasSuffix(".statistics") })
            let logout = try await bench.operation("logout", .intellipost, at: sandbox.port)
            #expect(logout.ending == .exit(0), "\(logout.errors.text)")
            #expect(
                logout.output.lines.last
                    == "intellipost: the session's local data was erased, as the profile requires"
            )
            let names = try bench.stateNames.filter { $0.hasPrefix("intellipost") }
            #expect(
                names.allSatisfy { $0.hasSuffix(".lock") || $0.hasSuffix(".flight") },
                "\(names)"
            )
            #expect(FileManager.default.fileExists(atPath: log) == false)
        }
    }

    @Test("l erases it while the profile is watched, and the screen says so")
    func key() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let log = bench.home + "/log"
            let terminal = try await bench.watchOnScreen(
                .intellipost,
                at: sandbox.port,
                "--vault",
                "file",
                "--log",
                log
            )
            try await terminal.see("● fresh")
            try await terminal.press("P", "Enter", "Enter")
            try await terminal.see("asked by you")
            try await eventually("the request's path is kept") {
                try bench.stateNames.contains { $0.hasSuffix(".requests") }
            }
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            try await terminal.see("the session's local data was erased")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            let names = try bench.stateNames.filter { $0.hasPrefix("intellipost") }
            let isEmpty = names.allSatisfy { name in
                [".lock", ".flight", ".logs"].contains { name.hasSuffix($0) }
            }
            #expect(isEmpty, "\(names)")
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(!text.contains("tokensIssued"))
        }
    }

    @Test("a record of a logout that has not been sent goes once it is sent")
    func pending() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.intellipost, at: relay.port)
            try await relay.refuse()
            let logout = try await bench.operation("logout", .intellipost, at: relay.port)
            #expect(logout.output.text.contains("until the backend was notified of the logout"))
            #expect(try bench.stateNames.contains { $0.hasSuffix(".vault") })
            try await relay.accept()
            _ = try await bench.operation("status", .intellipost, at: relay.port)
            #expect(try await sandbox.report().counters(of: .intellipost)?.logouts == 1)
            _ = try await bench.operation("status", .intellipost, at: relay.port)
            #expect(try bench.stateNames.contains { $0.hasSuffix(".vault") } == false)
        }
    }

    @Test("other profiles keep theirs until it is old")
    func others() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let logout = try await bench.operation("logout", .melchat, at: sandbox.port)
            #expect(logout.output.lines.count == 1)
            #expect(try bench.stateNames.contains { $0.hasSuffix(".vault") })
        }
    }
}
