import TestSupport
import Testing

@Suite("The screen: a renewal under faults", .programs)
struct RenewalFaultTests {
    struct Trouble: Sendable, CustomTestStringConvertible {
        let fault: String
        /// Where the session stands.
        let state: String
        /// The result of the request.
        let row: [String]
        /// One whose refresh tokens stay the same unless told otherwise.
        var guide = Guide.bitbasel
        var path = "/auth/refresh"

        var testDescription: String { fault }
    }

    static let troubles = [
        Trouble(
            fault: "server-error:refresh:status=503",
            state: "◑ renewal failed ×1 (503)",
            row: ["503", "unavailable, again at"]
        ),
        Trouble(
            fault: "rate-limit:refresh:seconds=3",
            state: "◑ renewal failed ×1 (429)",
            row: ["429", "rate limited, again at"]
        ),
        Trouble(
            fault: "error-after-commit:refresh:status=502",
            state: "◑ renewal failed ×1 (502)",
            row: ["502", "unavailable, again at"]
        ),
        Trouble(
            fault: "error-with-tokens:refresh:status=503",
            state: "◑ renewal failed ×1 (503)",
            row: ["503", "only a refresh token came"],
            guide: .voltyks,
            path: "/api/Auth/Refres"
        ),
        Trouble(
            fault: "not-found:refresh",
            state: "◑ renewal failed ×1 (404)",
            row: ["404", "request rejected, again at"]
        ),
        Trouble(
            fault: "bare-refusal:once",
            state: "◑ renewal failed ×1 (401)",
            row: ["401", "again at"]
        ),
        Trouble(
            fault: "html-200:refresh",
            state: "◒ answer not usable (200)",
            row: ["200", "not usable, again at"]
        ),
        Trouble(
            fault: "drop-request:refresh",
            state: "◒ answer lost",
            row: ["lost", "answer lost, again at"]
        ),
        Trouble(
            fault: "drop-after-commit:refresh",
            state: "◒ answer lost",
            row: ["lost", "answer lost, again at"]
        ),
        Trouble(
            fault: "truncated-body:refresh",
            state: "◒ answer lost",
            row: ["lost", "answer lost, again at"]
        ),
    ]

    @Test(
        "says what happened and when it is tried again; the session survives",
        arguments: troubles
    )
    func survived(problem: Trouble) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let terminal = try await bench.watchOnScreen(problem.guide, at: sandbox.port)
            try await terminal.see("● open")
            try await sandbox.switchOn(problem.fault)
            try await terminal.press("r")
            try await terminal.see(problem.state)
            try await terminal.see("the row \(problem.row)") { screen in
                screen.contains { line in
                    line.contains("POST \(problem.path)")
                        && problem.row.allSatisfy(line.contains)
                }
            }
            try await sandbox.switchAllOff()
            try await terminal.see("● fresh")
            try await terminal.see("session  no. 1")
            try await terminal.see("no session ended")
            try await expectRenewed(sandbox, problem.fault, problem.guide)
        }
    }

    @Test("that is only slow is a renewal in progress, and then done")
    func slow() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● open")
            try await sandbox.switchOn("delay:once:refresh:seconds=3")
            try await terminal.press("r")
            try await terminal.see("◐ renewing · cause: you")
            try await terminal.see("generation 2")
            try await expectRenewed(sandbox, "delay")
        }
    }

    @Test("after an answer with a wrong Date says so, and renews nevertheless")
    func skewed() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● open")
            try await sandbox.switchOn("skewed-date:once:protected:seconds=1800")
            try await terminal.press("p")
            // By the second that Date tells, and the time of the request, it may be one less.
            try await terminal.see("a clock 30 m ahead") { screen in
                screen.contains { $0.contains(/clock (≥ )?\+(30|29) m/) }
            }
            try await terminal.press("p")
            try await terminal.see("a clock that is right") { screen in
                screen.contains { $0.contains(/clock (≥ )?[−+]\d\.\d s/) }
            }
            try await terminal.press("r")
            try await terminal.see("generation 2")
            try await terminal.see("● fresh")
            try await expectRenewed(sandbox, "skewed-date")
        }
    }

    /// Once logged in, and a later generation.
    private func expectRenewed(
        _ sandbox: Sandbox,
        _ fault: String,
        _ guide: Guide = .bitbasel
    ) async throws {
        let name = fault.split(separator: ":").first.map(String.init) ?? fault
        let report = try await sandbox.report()
        #expect(report.faultsFired[name, default: 0] > 0)
        #expect(report.counters(of: guide)?.logins == 1)
        #expect(report.sessions(of: guide).first?.generation ?? 0 > 1)
        #expect(report.sessions(of: guide).first?.ended == nil)
    }
}
