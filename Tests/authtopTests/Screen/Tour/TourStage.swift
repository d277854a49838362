import TestSupport

/// The screen when a leg of the tour begins.
enum TourStage: Sendable {
    /// A session that can do all that a session can, beside four others of the same user.
    case devices
    /// The same, whose login was refused.
    case refused
    /// A sign-in that waits for the user's browser.
    case browser
    /// Two sessions.
    case several
    /// A recording that is played.
    case recording
    /// A proxy that waits for an app.
    case proxy

    /// The sessions of the user, that of the screen included.
    static let sessionCount = 5

    private static let credentials = [
        "AUTHTOP_DEVICES_EMAIL": "user@example.com", "AUTHTOP_DEVICES_CODE": "123456",
        "AUTHTOP_FIRST_IDENTITY_TOKEN": "sandbox", "AUTHTOP_SECOND_IDENTITY_TOKEN": "sandbox",
        "VISUAL": "touch edited",
    ]

    /// Starts the program in a new terminal whose passphrase for locking is set.
    func open(on bench: Bench, columns: Int, rows: Int) async throws -> Terminal {
        let sandbox = try await bench.sandbox(
            "--access-ttl",
            "10m",
            "--reuse",
            "none",
            "--feed-rate",
            "0.05"
        )
        let terminal = try await bench.terminal(
            columns: columns,
            rows: rows,
            with: self == .refused
                ? Self.credentials.merging(["AUTHTOP_DEVICES_CODE": "000000"]) { $1 }
                : Self.credentials
        )
        if self != .several, self != .recording { try await terminal.setPassphrase() }
        try await terminal.enter(try await command(on: bench, sandbox: sandbox))
        switch self {
        case .devices, .several: try await terminal.see("● fresh")
        case .refused: try await terminal.see("login failed")
        case .browser: try await terminal.see("Log in with a browser")
        case .recording: try await terminal.see("replay 1×")
        case .proxy: try await terminal.see("Waiting for your app")
        }
        return terminal
    }

    private func command(on bench: Bench, sandbox: Sandbox) async throws -> String {
        switch self {
        case .devices, .refused:
            for _ in 1..<Self.sessionCount { _ = try await Guide.melchat.logIn(at: sandbox) }
            try bench.write(
                """
                extends = "melchat"
                base_url = "http://127.0.0.1:\(sandbox.port)/melchat"
                [sessions.end]
                request = "DELETE /api/auth/sessions/{id}"
                """,
                to: "config/authtop/profiles/devices.toml"
            )
            return "authtop watch devices --vault memory"
        case .browser:
            let path = try bench.browserProfile(of: sandbox)
            return "authtop watch \(path) --no-browser --vault memory"
        case .several:
            for name in ["first", "second"] {
                try bench.write(
                    """
                    extends = "bitbasel"
                    base_url = "http://127.0.0.1:\(sandbox.port)/bitbasel"
                    """,
                    to: "config/authtop/profiles/\(name).toml"
                )
            }
            return "authtop watch first second --vault memory"
        case .proxy: return "authtop proxy --to http://127.0.0.1:\(sandbox.port) --port 0"
        case .recording:
            let path = bench.home + "/recording"
            let demo = try bench.authtop([
                "demo", "--access-ttl", "10m", "--every", "500ms", "--json", "--record", path,
                "--for", "25s",
            ])
            guard try await demo.ended() == .exit(0) else {
                throw NeverCame(what: "a recording", evidence: demo.errors.text)
            }
            return "authtop replay \(path)"
        }
    }
}
