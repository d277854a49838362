import Foundation
import TestSupport
import Testing

@testable import authtop

@Suite("The screen: the editor", .programs)
struct EditorTests {
    private static let credentials = [
        "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
    ]

    @Test("v lends the terminal to the editor, and takes it back; the editor gets no credential")
    func edited() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let profile = try bench.write(
                """
                extends = "voltyks"
                base_url = "http://127.0.0.1:\(sandbox.port)/voltyks"

                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let variables = bench.home + "/variables"
            let script = try bench.write(
                """
                env > "$1"
                echo "editing $2"
                read line
                echo "$line" >> "$2"
                """,
                to: "editor.sh"
            )
            let terminal = try await bench.terminal(
                with: Self.credentials.merging(["EDITOR": "sh \(script) \(variables)"]) { $1 }
            )
            try await terminal.enter("authtop watch mine --vault memory")
            try await terminal.see("● fresh")
            try await terminal.press("v")
            try await terminal.see("editing \(profile)")
            // The line is echoed, as the shell's modes have it.
            try await terminal.type("retention = \"20d\"")
            try await terminal.see("retention = \"20d\"")
            try await terminal.press("Enter")
            try await terminal.see("● fresh")
            try await terminal.press("?")
            try await terminal.see("─ Help ─")
            #expect(try String(contentsOfFile: profile, encoding: .utf8).contains("20d"))
            let names = try String(contentsOfFile: variables, encoding: .utf8)
            #expect(names.contains("EDITOR="))
            #expect(!names.contains("AUTHTOP_MINE"))
            try await terminal.press("Escape", "q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test(
        "an editor that is not there, or that fails, is named",
        arguments: [
            ("/nowhere/editor", "/nowhere/editor was not found"), ("false", "false ended with 1"),
        ]
    )
    func failing(editor: String, message: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                """
                extends = "voltyks"
                base_url = "http://127.0.0.1:\(sandbox.port)/voltyks"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let terminal = try await bench.terminal(
                with: Self.credentials.merging(["VISUAL": editor]) { $1 }
            )
            try await terminal.enter("authtop watch mine --vault memory")
            try await terminal.see("● fresh")
            try await terminal.press("v")
            try await terminal.see(message)
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("a dialect that is a part of the program has no file to edit")
    func builtIn() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --every 1h")
            try await terminal.see("● fresh")
            try await terminal.press("v")
            try await terminal.see("is a part of the program, and no file")
        }
    }

    @Test(
        "VISUAL goes before EDITOR, and vi is for who has named none",
        arguments: [
            (["VISUAL": "code --wait", "EDITOR": "nano"], ["code", "--wait"]),
            (["VISUAL": " ", "EDITOR": "nano"], ["nano"]), ([:], ["vi"]),
        ] as [([String: String], [String])]
    )
    @MainActor
    func words(variables: [String: String], words: [String]) {
        #expect(ProfileEditor.words(in: variables) == words)
    }
}
