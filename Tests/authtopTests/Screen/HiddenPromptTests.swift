import Foundation
import TestSupport
import Testing

@Suite("A prompt without an echo", .programs)
struct HiddenPromptTests {
    @Test("shows nothing of what is typed, also when the job is stopped and continued meanwhile")
    func stopped() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let terminal = try await bench.terminal()
            let settings = try terminal.settings
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            try await terminal.enter("authtop login voltyks --base-url \(base)")
            try await terminal.see("voltyks email:")
            try await terminal.type("nobody@exa")
            try await terminal.press("C-z")
            try await seeShell(terminal)
            #expect(try terminal.settings == settings)
            try await terminal.enter("fg")
            try await terminal.see("voltyks email:") { screen in
                screen.last { !$0.isEmpty } == "voltyks email:"
            }
            try await terminal.enter("user@example.com")
            try await terminal.seeHidden("voltyks password:")
            for part in ["pas", "sw"] {
                try await terminal.type(part)
                try await terminal.seeInputRead()
                try await terminal.press("C-z")
                try await seeShell(terminal)
                #expect(try terminal.settings == settings)
                // The shell has not got what was typed.
                try await terminal.enter("echo \"<$READLINE_LINE>\"")
                try await terminal.see("<>")
                try await terminal.enter("clear; fg")
                try await terminal.seeHidden("voltyks password:")
            }
            try await terminal.enter("ord")
            try await terminal.see("voltyks: logged in")
            try await terminal.seePrompt(after: 0)
            #expect(try terminal.settings == settings)
            let history = try await terminal.history
            for part in ["pas", "sw", "ord"] {
                #expect(!history.replacing("password", with: "").contains(part), "\(history)")
            }
        }
    }

    @Test("can be edited as a line can")
    func edited() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let terminal = try await bench.terminal(
                with: ["AUTHTOP_VOLTYKS_EMAIL": "user@example.com"]
            )
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            try await terminal.enter("authtop login voltyks --base-url \(base)")
            try await terminal.seeHidden("voltyks password:")
            try await terminal.type("wrong")
            try await terminal.press("C-u")
            try await terminal.type("passx é")
            try await terminal.press("C-w", "BSpace", "BSpace")
            try await terminal.enter("word")
            try await terminal.see("voltyks: logged in")
        }
    }

    @Test(
        "leaves the terminal as it was when it is ended",
        arguments: [("C-c", 130), ("C-\\", 131)] as [(String, Int32)]
    )
    func ended(key: String, code: Int32) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            let settings = try terminal.settings
            // A shell that would leave it as it finds it.
            try await terminal.enter(
                "sh -c 'trap : INT QUIT; \(Authtop.path) inspect; code=$?; stty -a; exit $code'"
            )
            try await terminal.seeHidden("Token:")
            try await terminal.type("s3cr3t")
            try await terminal.press(key)
            try await terminal.see(" echo ")
            try await terminal.seePrompt(after: code)
            #expect(try terminal.settings == settings)
            #expect(try await !terminal.history.contains("s3cr3t"))
        }
    }

    @Test("leaves the terminal as it was when the program is ended", arguments: [15, 1])
    func killed(signal: Int32) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("sh -c '\(Authtop.path) inspect; stty -a'")
            try await terminal.seeHidden("Token:")
            let children = try String(
                contentsOfFile: "/proc/\(await terminal.pid)/task/\(await terminal.pid)/children",
                encoding: .utf8
            )
            let pid = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
            kill(pid, signal)
            try await terminal.see(" echo ")
        }
    }

    private func seeShell(_ terminal: Terminal) async throws {
        try await terminal.see("Stopped")
        try await terminal.see("a prompt") { screen in
            screen.last { !$0.isEmpty }?.hasSuffix("]>") == true
        }
    }
}
