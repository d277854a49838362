import Foundation
import TestSupport
import Testing

/// The user's exports from the dashboard: to the clipboard, and to a file.
@Suite("The screen: taking things out", .programs)
struct TakingOutTests {
    @Test("y copies the selected request as curl, which a shell runs with the user's token")
    func curl() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(.bitbasel, at: relay.port, "--every", "1h")
            try await terminal.acceptClipboard()
            try await terminal.see("● open")
            try await terminal.press("p")
            try await terminal.see("GET  /posts/feed")
            try await terminal.press("3", "y")
            try await terminal.see("as curl", "sent to tmux")
            let command = try await terminal.clipboard.joined(separator: "\n")
            #expect(command.hasPrefix("curl -i -H 'Authorization: Bearer '\"$TOKEN\" "))
            #expect(TokenHarvest(relay).leaks(in: command) == [])
            // Sent again by a shell, with a token of the user's choice.
            let server = try bench.keep(
                LoopbackServer { request in
                    let isMine = request.values(of: "authorization") == ["Bearer it's $mine"]
                    return Answers.json(200, isMine ? "{\"mine\":1}" : "{}")
                }
            )
            let local = command.replacing(
                "http://127.0.0.1:\(relay.port)",
                with: "http://127.0.0.1:\(server.port)"
            )
            #expect(local != command)
            let shell = try bench.keep(
                Program(
                    "/bin/sh",
                    ["-c", local],
                    environment: bench.environment.merging(["TOKEN": "it's $mine"]) { $1 }
                )
            )
            #expect(try await shell.ended() == .exit(0), "\(shell.errors.text)")
            #expect(shell.output.text.contains("{\"mine\":1}"))
        }
    }

    @Test("w writes the last minutes to a new file of the user's own, which can be replayed")
    func write() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 120s --every 1s")
            try await terminal.see("● open", "GET  /posts/feed")
            try await terminal.press("w")
            let screen = try await terminal.see("wrote ./authtop-", "events of")
            let names = screen.compactMap { $0.firstMatch(of: /wrote .\/(authtop-[-0-9]+\.jsonl)/) }
            let path = "\(bench.home)/\(try #require(names.first).output.1)"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            let replay = try bench.authtop(["replay", path, "--json"])
            #expect(try await replay.ended() == .exit(0), "\(replay.errors.text)")
            #expect(replay.errors.lines == [])
            #expect(try !EventStream(replay.output).all("tokensIssued").isEmpty)
            let export = try bench.authtop(["export", path])
            #expect(try await export.ended() == .exit(0))
            // In the replay, it is the whole recording, in another file.
            try await terminal.enter("authtop replay \(path)")
            try await terminal.see("replay 1×")
            try await terminal.press("w")
            try await terminal.see("wrote ./authtop-")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: bench.home)
                .filter { $0.hasPrefix("authtop-") }.map { "\(bench.home)/\($0)" }
            #expect(files.count == 2)
            let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
            #expect(Set(texts).count == 1)
        }
    }

    @Test("w says why it cannot write, and the dashboard goes on")
    func noFolder() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("mkdir gone; cd gone; rmdir ../gone")
            try await terminal.enter("authtop demo --access-ttl 120s")
            try await terminal.see("● open")
            try await terminal.press("w")
            try await terminal.see("not written: ./authtop-", "No such file or directory")
        }
    }
}
