import Foundation
import TestSupport
import Testing

@Suite("The screen: locking", .programs)
struct LockTests {
    private static let leaks = [
        "127.0.0.1", "bitbasel", "user@", "‹", "generation", "GET", "fresh",
    ]

    /// Waits for a frame with this text that says that it is locked, and nothing of the session.
    ///
    /// The lines of the frame before it are there until each is drawn over.
    private static func seeLocked(
        _ terminal: Terminal,
        _ text: String,
        rows: Int = 40
    ) async throws {
        try await terminal.see("“\(text)” on a locked screen of \(rows) rows") { screen in
            let all = screen.joined(separator: "\n")
            return screen.count == rows && ["authtop", "locked", text].allSatisfy(all.contains)
                && !leaks.contains(where: all.contains)
        }
    }

    @Test("K hides everything until the passphrase is typed; the session goes on underneath")
    func key() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.setPassphrase()
            try await terminal.enter("authtop demo --access-ttl 6s")
            try await terminal.see("● fresh")
            try await terminal.press("K")
            try await Self.seeLocked(terminal, "passphrase")
            try await terminal.type("wrong")
            try await Self.seeLocked(terminal, "•••••")
            try await terminal.press("Enter")
            try await terminal.see("wrong passphrase")
            try await terminal.resize(columns: 80, rows: 24)
            try await Self.seeLocked(terminal, "wrong", rows: 24)
            try await terminal.press("C-z")
            try await terminal.see("Stopped")
            try await terminal.enter("fg")
            try await terminal.seeNo("Stopped")
            try await Self.seeLocked(terminal, "locked", rows: 24)
            // None is taken for a second after a wrong one.
            try await eventually("the passphrase is taken", within: .seconds(120)) {
                try await terminal.press("Escape")
                // A letter that comes together with it would be another key.
                try await terminal.seeNo("•")
                try await terminal.type(Terminal.passphrase)
                try await terminal.press("Enter")
                return (try? await terminal.see("generation", within: .seconds(20))) != nil
            }
            // Renewals went on underneath.
            try await terminal.seeGeneration(atLeast: 2)
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            #expect(!(try await terminal.history).contains(Terminal.passphrase))
        }
    }

    @Test("authtop lock reaches a running dashboard, and Ctrl-C still quits it")
    func command() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.setPassphrase()
            try await terminal.enter("authtop demo --access-ttl 60s")
            try await terminal.see("● fresh")
            let lock = try bench.authtop(["lock"])
            #expect(try await lock.ended() == .exit(0), "\(lock.errors.text)")
            try await Self.seeLocked(terminal, "passphrase")
            try await terminal.press("q", "C-c")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("--lock-after locks by itself, and each key puts that off")
    func idle() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.setPassphrase()
            // Long enough to be seen unlocked, on a machine that is busy too.
            try await terminal.enter("authtop demo --access-ttl 60s --lock-after 10s")
            try await terminal.see("● fresh")
            try await Self.seeLocked(terminal, "passphrase")
            try await terminal.type(Terminal.passphrase)
            try await terminal.press("Enter")
            try await terminal.see("● fresh")
            try await terminal.press("C-c")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("a profile may say when to lock")
    func profile() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                """
                extends = "bitbasel"
                base_url = "http://127.0.0.1:\(sandbox.port)/bitbasel"
                [policy]
                lock_after = "1s"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let terminal = try await bench.terminal(with: ["AUTHTOP_MINE_IDENTITY_TOKEN": "sandbox"]
            )
            try await terminal.enter("authtop watch mine --vault memory")
            try await terminal.see("lock_after in the profile: nothing could unlock")
            try await terminal.seePrompt(after: 2)
            try await terminal.setPassphrase()
            try await terminal.enter("authtop watch mine --vault memory")
            try await Self.seeLocked(terminal, "passphrase")
        }
    }

    @Test("without a passphrase and a keyring nothing is locked, and the way to one is told")
    func refused() async throws {
        try await withBench { bench in
            let lock = try bench.authtop(["lock"])
            #expect(try await lock.ended() == .exit(1))
            #expect(lock.errors.text.contains("run `authtop lock --passphrase` first"))
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --lock-after 1s")
            try await terminal.seePrompt(after: 2)
            try await terminal.enter("authtop demo")
            try await terminal.see("● fresh")
            try await terminal.press("K")
            try await terminal.see("run `authtop lock --passphrase` first")
            try await terminal.see("● fresh")
        }
    }

    @Test("the passphrase is changed only by who knows the old one, and typed the same twice")
    func change() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.setPassphrase()
            let path = bench.home + "/state/authtop/passphrase"
            let before = try String(contentsOfFile: path, encoding: .utf8)
            try await terminal.enter("authtop lock --passphrase")
            try await terminal.seeHidden("Old passphrase:")
            try await terminal.enter("something else")
            try await terminal.see("the passphrase is wrong, and was not changed")
            try await terminal.seePrompt(after: 1)
            try await terminal.enter("clear; authtop lock --passphrase")
            try await terminal.seeHidden("Old passphrase:")
            try await terminal.enter(Terminal.passphrase)
            try await terminal.seeHidden("New passphrase:")
            try await terminal.enter("another long one")
            try await terminal.seeHidden("Once more:")
            try await terminal.enter("another long 1")
            try await terminal.seePrompt(after: 2)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
            #expect(!(try await terminal.history).contains("another long"))
            let script = try bench.authtop(["lock", "--passphrase"])
            #expect(try await script.ended() == .exit(2))
        }
    }

    @Test("a keyring that has the vault's key is locked, and opens the screen once it is opened")
    func keyring() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            let terminal = try await bench.terminal(with: Guide.voltyks.credentials)
            // The bus's own message are kept off the terminal.
            let shell = "exec bash --noprofile --norc -i 2>/dev/tty"
            try await terminal.enter("dbus-run-session -- sh -c '\(shell)' 2>/dev/null")
            try await terminal.enter("\(Keyring.unlock); clear")
            try await terminal.enter("\(Authtop.path) watch voltyks --base-url \(base)")
            try await terminal.see("● fresh")
            try await terminal.press("K")
            try await Self.seeLocked(terminal, "Enter asks the keyring")
            try await terminal.press("Enter")
            try await terminal.see("the keyring was not opened")
            try await terminal.press("C-z")
            try await terminal.see("Stopped")
            try await terminal.enter("\(Keyring.unlock); clear; fg")
            try await Self.seeLocked(terminal, "Enter asks the keyring")
            try await terminal.press("Enter")
            try await terminal.see("● fresh")
            try await terminal.press("q")
            try await terminal.enter("kill %1; exit")
        }
    }
}
