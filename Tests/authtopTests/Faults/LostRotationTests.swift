import TestSupport
import Testing

@Suite("The screen: a rotation whose answer is lost", .programs)
struct LostRotationTests {
    @Test(
        "does no harm where the backend forgives",
        arguments: ["none", "grace:seconds=60", "grace-forks", "old-lives"]
    )
    func forgiven(policy: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "120s",
                "--reuse",
                policy,
                "--faults",
                "drop-after-commit:once:refresh"
            )
            let terminal = try await bench.watchOnScreen(.voltyks, at: sandbox.port)
            try await terminal.see("● open")
            try await terminal.press("r")
            try await terminal.see("the lost answer did no harm")
            try await terminal.see("● fresh")
            try await terminal.see("no session ended")
            let report = try await sandbox.report()
            #expect(report.faultsFired == ["drop-after-commit": 1])
            #expect(report.counters(of: .voltyks)?.logins == 1)
            #expect(report.sessions(of: .voltyks).map(\.ended) == [nil])
        }
    }

    @Test(
        "ends the session where it does not, and says what the backend could do about it",
        arguments: [("strict", nil as String?), ("strict-revoke", "reuse")]
    )
    func unforgiven(policy: String, ended: String?) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "10s",
                "--reuse",
                policy,
                "--faults",
                "drop-after-commit:once:refresh"
            )
            let terminal = try await bench.watchOnScreen(.voltyks, at: sandbox.port)
            try await terminal.see("● open")
            try await terminal.press("r")
            try await terminal.see("refused: \"")
            try await terminal.see(
                "○ signed out: refresh token refused after a renewal whose answer was lost"
            )
            try await terminal.see("possible: spent, answer lost")
            try await terminal.see("give the backend a grace window")
            let report = try await sandbox.report()
            #expect(report.counters(of: .voltyks)?.reuses == 1)
            #expect(report.counters(of: .voltyks)?.logins == 1)
            if let ended { #expect(report.sessions(of: .voltyks).map(\.ended) == [ended]) }
        }
    }
}
