import Foundation
import TestSupport
import Testing

@Suite("authtop local", .programs)
struct LocalCommandTests {
    private static let token = "gho_16C7e42F292c6912E7710c838347Ae178B4a"

    private func writeStores(_ bench: Bench) throws {
        try bench.write(
            "github.com:\n  oauth_token: \(Self.token)\n  user: octocat\n",
            to: "config/gh/hosts.yml"
        )
        try bench.write(
            #"{"access_token": "mcp-access-token", "refresh_token": "mcp-refresh-token", "expires_in": 9000}"#,
            to: ".mcp-auth/mcp-remote-1/ab_tokens.json"
        )
    }

    @Test("prints a table, JSON objects or lines of a form, and no token")
    func printing() async throws {
        try await withBench { bench in
            try writeStores(bench)
            let table = try bench.authtop(["local"])
            #expect(try await table.ended() == .exit(0))
            #expect(table.output.text.contains("octocat"))
            let json = try bench.authtop(["local", "--json", "mcp-remote"])
            #expect(try await json.ended() == .exit(0))
            #expect(json.output.lines.count == 1)
            let object = try JSON.object(in: json.output.text)
            #expect(object["state"]?.text == "live")
            #expect(object["account"]?.text == "ab_tokens")
            #expect(try #require(object["accessSecondsLeft"]?.number) <= 9_000)
            let form = ["local", "--format", "{name} {account} {left}", "github"]
            let line = try bench.authtop(form)
            #expect(try await line.ended() == .exit(0))
            #expect(line.output.lines == ["GitHub CLI octocat no end"])
            for output in [table.output.text, json.output.text, line.output.text] {
                #expect(!output.contains(Self.token))
                #expect(!output.contains("mcp-access-token"))
                #expect(!output.contains("mcp-refresh-token"))
            }
        }
    }

    @Test("exits with 1 if a session has ended")
    func ended() async throws {
        try await withBench { bench in
            try bench.write(
                #"{"startUrl": "https://x.example", "accessToken": "0123456789", "expiresAt": "2020-01-01T00:00:00Z"}"#,
                to: ".aws/sso/cache/a.json"
            )
            let program = try bench.authtop(["local", "--format", "{state}"])
            #expect(try await program.ended() == .exit(1))
            #expect(program.output.lines == ["ended"])
        }
    }

    @Test("a field, a store or a file that there is not is a mistake, told by its name")
    func mistakes() async throws {
        try await withBench { bench in
            let field = try bench.authtop(["local", "--format", "{lft}"])
            #expect(try await field.ended() == .exit(2))
            #expect(field.errors.text.contains("there is no field \"lft\""))
            #expect(field.errors.text.contains("did you mean left?"))
            let store = try bench.authtop(["local", "githb"])
            #expect(try await store.ended() == .exit(2))
            #expect(store.errors.text.contains("did you mean github?"))
            try bench.write("title = 1\n", to: "config/authtop/stores/acme.toml")
            let file = try bench.authtop(["local"])
            #expect(try await file.ended() == .exit(2))
            #expect(file.errors.text.contains("stores/acme.toml:1: title: found the number 1"))
        }
    }

    @Test("alone, the program shows what is there, follows the files, and watches what is chosen")
    func screen() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            #expect(try await bench.logIn(.voltyks, at: sandbox.port).ending == .exit(0))
            try bench.write(
                """
                extends = "creatist"
                base_url = "http://127.0.0.1:\(sandbox.port)/creatist"
                """,
                to: "config/authtop/profiles/staging.toml"
            )
            try bench.write("extends = \"oauth2\"", to: "config/authtop/profiles/bare.toml")
            let terminal = try await bench.terminal(with: [:])
            try await terminal.enter("authtop")
            try await terminal.see("1 session on this machine", "voltyks", "staging", "no session")
            try await terminal.see("bare", "not usable")
            try writeStores(bench)
            try await terminal.see("3 sessions on this machine", "octocat", "mcp-remote")
            try await terminal.press("Enter")
            try await terminal.see("Access token", "Esc back")
            try await terminal.escape(from: "Access token")
            try await terminal.press("w")
            try await terminal.see("voltyks · ", "● fresh")
            // What was opened from here is closed, and not the program.
            try await terminal.press("q")
            try await terminal.see("3 sessions on this machine", "voltyks", "octocat")
            try await terminal.press("w")
            try await terminal.see("voltyks · ", "● fresh")
            try await terminal.press("C-c")
            try await terminal.see("[0]>")
        }
    }

    @Test("says what it has looked for where nothing is there, and has a key for each way on")
    func nothingYet() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal(with: [:])
            try await terminal.enter("authtop")
            try await terminal.see("No session of a program was found", "GitHub CLI", "my backend")
            try await terminal.press("b")
            try await terminal.see("authtop check NAME")
            try await terminal.escape(from: "authtop check NAME")
            try await terminal.press("c")
            try await terminal.see("--exec \"npm test\"")
            try await terminal.escape(from: "--exec \"npm test\"")
            try await terminal.press("d")
            try await terminal.see("authtop", "● fresh")
        }
    }

    @Test("without a terminal, the program alone prints what there is")
    func withoutTerminal() async throws {
        try await withBench { bench in
            let program = try bench.authtop([])
            #expect(try await program.ended() == .exit(0))
            #expect(program.output.text.contains("no session was found; looked for"))
        }
    }
}
