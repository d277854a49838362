import Testing

@Suite("The screen: foreground and background", .programs)
struct FocusTests {
    /// A screen that watches a fresh session, on a terminal that reports its focus.
    ///
    /// - Parameters:
    ///   - bench: Where it runs.
    ///   - pauses: The profile's setting for the background.
    /// - Returns: The terminal.
    /// - Throws: When the session does not come up.
    private func watch(on bench: Bench, pauses: Bool) async throws -> Terminal {
        let sandbox = try await bench.sandbox("--access-ttl", "10m")
        try bench.write(
            """
            extends = "bitbasel"
            base_url = "http://127.0.0.1:\(sandbox.port)/bitbasel"
            vault = "memory"
            [policy]
            pause_on_blur = \(pauses)
            """,
            to: "config/authtop/profiles/mine.toml"
        )
        let terminal = try await bench.terminal(with: ["AUTHTOP_MINE_IDENTITY_TOKEN": "sandbox"])
        try await terminal.reportFocus()
        try await terminal.enter("authtop watch mine")
        try await terminal.see("● fresh · renews in")
        return terminal
    }

    /// Takes the focus away and gives it back while `cat` shows what a terminal would report.
    private func expectNoReports(on terminal: Terminal) async throws {
        try await terminal.enter("cat -v")
        try await terminal.seeRunning("cat")
        try await terminal.setForeground(false)
        try await terminal.setForeground(true)
        try await terminal.enter("end of it")
        let screen = try await terminal.see("both echoes") {
            $0.count { $0 == "end of it" } == 2
        }
        #expect(!screen.joined().contains("^[["))
    }

    @Test("the profile's pause comes with the background and goes with the foreground; Space stays")
    func pause() async throws {
        try await withBench { bench in
            let terminal = try await watch(on: bench, pauses: true)
            try await terminal.setForeground(false)
            try await terminal.see("paused: terminal in the background")
            try await terminal.setForeground(true)
            try await terminal.see("● fresh · renews in")
            try await terminal.press("Space")
            try await terminal.see("paused: renews only on r or a 401")
            try await terminal.setForeground(false)
            try await terminal.setForeground(true)
            // The output after it shows that both were taken in.
            try await terminal.press("r")
            try await terminal.see("generation 2")
            try await terminal.see("paused: renews only on r or a 401")
        }
    }

    @Test("nothing is paused unless the profile says so")
    func usual() async throws {
        try await withBench { bench in
            let terminal = try await watch(on: bench, pauses: false)
            try await terminal.setForeground(false)
            try await terminal.press("r")
            let screen = try await terminal.see("generation 2")
            #expect(!screen.joined().contains("paused"))
        }
    }

    @Test(
        "the terminal tells of its focus no more after every way out",
        arguments: [("q", 0 as Int32), ("C-z", 148)]
    )
    func off(key: String, code: Int32) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.reportFocus()
            try await terminal.enter("authtop demo --access-ttl 60s")
            try await terminal.see("● fresh")
            try await terminal.press(key)
            try await terminal.see("a prompt") {
                $0.last { !$0.isEmpty }?.hasPrefix("[\(code)]>") == true
            }
            try await expectNoReports(on: terminal)
        }
    }

    @Test("a crash leaves no reports of the focus behind")
    func crash() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.reportFocus()
            try await terminal.enter("authtop demo --end-by crash")
            try await terminal.seePrompt(after: 132)
            try await expectNoReports(on: terminal)
        }
    }
}
