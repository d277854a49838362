import Foundation
import TestSupport
import Testing

/// A patient check waits for minutes, so that it is in progress however late a test comes to it.
@Suite("authtop check: a check that is stopped", .programs)
struct CheckStopTests {
    private func expectNoSession(of guide: Guide, at sandbox: Sandbox) async throws {
        let sessions = try await sandbox.report().sessions(of: guide)
        #expect(!sessions.isEmpty)
        #expect(sessions.allSatisfy { $0.ended != nil })
    }

    @Test("logs its sessions out where q is pressed, says so, and prints what it has found")
    func key() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4m")
            let guide = Guide.melchat
            let terminal = try await bench.terminal(with: guide.credentials)
            let base = "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)"
            try await terminal.enter("authtop check melchat --patient --base-url \(base)")
            try await terminal.see("◐ expiry")
            try await terminal.press("q")
            try await terminal.see("melchat: stopped before the end")
            try await terminal.see("its own sessions were logged out")
            try await terminal.see("policy")
            try await terminal.see("logins")
            try await expectNoSession(of: guide, at: sandbox)
        }
    }

    @Test("logs its sessions out where a signal comes, and ends as one that it has ended")
    func signal() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4m")
            let guide = Guide.melchat
            let check = try bench.authtop(
                [
                    "check", "melchat", "--patient", "--base-url",
                    "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)",
                ],
                with: guide.credentials
            )
            // polls: beyond those of the first probes
            _ = try await eventually("sessions") {
                let count = try await sandbox.report().sessions(of: guide).count
                return count > 4 ? count : nil
            }
            check.send(SIGINT)
            #expect(try await check.ended() == .exit(128 + SIGINT), "\(check.errors.text)")
            #expect(check.errors.text.contains("logging out the sessions of the check"))
            try await expectNoSession(of: guide, at: sandbox)
        }
    }
}
