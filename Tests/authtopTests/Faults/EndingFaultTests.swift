import TestSupport
import Testing

@Suite("The screen: faults that end a session", .programs)
struct EndingFaultTests {
    @Test("an early revocation is named once the backend refuses, and o begins another session")
    func revoked() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● open")
            try await sandbox.switchOn("early-revocation:once:protected")
            try await terminal.press("p")
            try await terminal.see("4401 token refused: the session has ended")
            try await terminal.see("\"Invalid or expired refresh token\"")
            try await terminal.see(
                "○ signed out: the backend refused the refresh token",
                "tokens   none"
            )
            #expect(try await sandbox.report().sessions(of: .bitbasel).map(\.ended) == ["revoked"])
            try await terminal.press("o")
            try await terminal.see("generation 2.1")
            try await terminal.see("● fresh")
        }
    }

    @Test("a refresh token that is left out is missed at the next renewal")
    func leftOut() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let terminal = try await bench.watchOnScreen(.voltyks, at: sandbox.port)
            try await terminal.see("● open")
            try await sandbox.switchOn("missing-refresh-token:once")
            try await terminal.press("r")
            try await terminal.see("gen 2 issued, refresh unchanged")
            try await terminal.press("r")
            try await terminal.see("refused: \"")
            try await terminal.see(
                "○ signed out: refresh token refused after a renewal brought no new one"
            )
            let report = try await sandbox.report()
            #expect(report.faultsFired == ["missing-refresh-token": 1])
            #expect(report.counters(of: .voltyks)?.reuses == 1)
        }
    }

    @Test("an empty 401 is believed only when it comes again")
    func bareTwice() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● open")
            // The next try is 5 s away, with a token that lives so long.
            try await sandbox.switchOn("bare-refusal")
            try await terminal.press("r")
            try await terminal.see("◑ renewal failed ×1 (401)")
            try await terminal.see("○ signed out: the backend refused the refresh token")
            #expect(try await sandbox.report().faultsFired == ["bare-refusal": 2])
        }
    }
}
