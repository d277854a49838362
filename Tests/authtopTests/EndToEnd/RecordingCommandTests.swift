import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A recording", .programs)
struct RecordingCommandTests {
    /// Records a demo, until it has renewed.
    private static func record(
        on bench: Bench,
        _ arguments: String...
    ) async throws -> (path: String, lines: [String], errors: [String]) {
        let path = "\(bench.home)/recording"
        let program = try bench.authtop(
            [
                "demo", "--dialect", "voltyks", "--access-ttl", "6s", "--every", "1s", "--json",
                "--record", path,
            ] + arguments
        )
        let stream = EventStream(program.output)
        try await stream.first("refreshSucceeded")
        try await stream.first("feedSwitched")
        try await program.interrupt()
        return (path, program.output.lines, program.errors.lines)
    }

    @Test("of a demo is replayed as the lines that the demo printed; only its owner can read it")
    func replayed() async throws {
        try await withBench { bench in
            let (path, lines, errors) = try await Self.record(on: bench)
            #expect(errors == [])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let replay = try bench.authtop(["replay", path, "--json"])
            #expect(try await replay.ended() == .exit(0), "\(replay.errors.text)")
            #expect(replay.errors.lines == [])
            // Either reader may be told of the end a little earlier.
            let common = min(replay.output.lines.count, lines.count)
            #expect(common > 20 && abs(replay.output.lines.count - lines.count) < 10)
            #expect(replay.output.lines.prefix(common) == lines.prefix(common))
            let piped = try bench.authtop(["replay", path])
            try await piped.ended()
            #expect(piped.output.lines == replay.output.lines)
        }
    }

    @Test("is exported as HAR, Markdown and JSON")
    func exported() async throws {
        try await withBench { bench in
            let (path, _, _) = try await Self.record(on: bench)
            let har = try bench.authtop(["export", path, "--format", "har"])
            #expect(try await har.ended() == .exit(0), "\(har.errors.text)")
            let document = try JSONSerialization.jsonObject(with: Data(har.output.text.utf8))
            let log = try #require((document as? [String: Any])?["log"] as? [String: Any])
            let entries = try #require(log["entries"] as? [[String: Any]])
            let replay = try bench.authtop(["replay", path, "--json"])
            try await replay.ended()
            let requests = try EventStream(replay.output).all("request")
            #expect(entries.count == requests.count && entries.count > 3)
            for (entry, request) in zip(entries, requests) {
                let response = entry["response"] as? [String: Any]
                #expect(response?["status"] as? Int == request.integer("status"))
                let sent = entry["request"] as? [String: Any]
                #expect(sent?["method"] as? String == request.text("method"))
            }
            let markdown = try bench.authtop(["export", path])
            #expect(try await markdown.ended() == .exit(0))
            #expect(markdown.output.text.contains("## voltyks"))
            #expect(markdown.output.text.contains("renewal 1 took"))
            let json = try bench.authtop(["export", path, "--format", "json"])
            #expect(try await json.ended() == .exit(0))
            let array = try JSONSerialization.jsonObject(with: Data(json.output.text.utf8))
            #expect((array as? [Any])?.count == replay.output.lines.count)
        }
    }

    @Test("has each fault of the built-in backend by itself, and each change of them")
    func faults() async throws {
        try await withBench { bench in
            let (path, lines, _) = try await Self.record(
                on: bench,
                "--faults",
                "delay:seconds=0.1, skewed-date,server-error:once:protected"
            )
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let header = try JSONSerialization.jsonObject(
                with: Data(text.prefix { $0 != "\n" }.utf8)
            )
            let sessions = (header as? [String: Any])?["sessions"] as? [[String: Any]]
            #expect(
                sessions?.first?["faults"] as? [String]
                    == ["delay:seconds=0.1", "skewed-date", "server-error:once:protected"]
            )
            // The one that fires once is off then.
            let last = try #require(lines.last { $0.contains("\"kind\":\"faultsChanged\"") })
            #expect(last.contains("\"by\":\"sandbox\"") && !last.contains("server-error"))
            #expect(last.contains("delay:seconds=0.1") && last.contains("skewed-date"))
            #expect(lines.first?.contains("\"kind\":\"capabilities\"") == true)
        }
    }

    @Test("has no token in it")
    func noToken() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let relay = try bench.relay(to: sandbox)
            let path = "\(bench.home)/recording"
            let watch = try bench.watch(.voltyks, at: relay.port, "--every", "1s", "--record", path)
            try await watch.stream.first("refreshSucceeded")
            try await watch.stream.first("feedSwitched")
            try await watch.program.interrupt()
            let harvest = TokenHarvest(relay)
            #expect(harvest.tokens.count >= 4)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("refreshSucceeded"))
            #expect(harvest.leaks(in: text) == [])
            #expect(!text.contains("\"password\""))
        }
    }

    @Test("stops at its limit, says so, and the demo goes on")
    func limit() async throws {
        try await withBench { bench in
            let (path, lines, errors) = try await Self.record(on: bench, "--record-limit", "10k")
            #expect(
                errors == [
                    "authtop: recording stopped: \(path) has reached the size of --record-limit"
                ]
            )
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(size ?? .max <= 10 << 10)
            let replay = try bench.authtop(["replay", path, "--json"])
            #expect(try await replay.ended() == .exit(0), "\(replay.errors.text)")
            #expect(!replay.output.lines.isEmpty && replay.output.lines.count < lines.count)
        }
    }

    @Test("of a session of our own has no findings of an app, which is said")
    func ownSession() async throws {
        try await withBench { bench in
            let (path, _, _) = try await Self.record(on: bench)
            let replay = try bench.authtop(["replay", path, "--findings"])
            #expect(try await replay.ended() == .exit(4), "\(replay.errors.text)")
            #expect(!replay.output.text.contains("no findings"))
            #expect(replay.errors.text.contains("session of authtop's own"))
            // As an archive, it has fingerprints where an app's tokens would be.
            let export = try bench.authtop(["export", path, "--format", "har"])
            try await export.ended()
            let archive = try bench.write(export.output.text, to: "own.har")
            let again = try bench.authtop(["replay", archive, "--findings"])
            #expect(try await again.ended() == .exit(2))
            #expect(again.errors.text.contains("authtop wrote this archive"))
        }
    }

    @Test("is never written over a file, nor to where none can be")
    func existing() async throws {
        try await withBench { bench in
            let path = try bench.write("mine\n", to: "file")
            for (path, message) in [(path, "it exists"), ("\(bench.home)/no/file", "No such file")]
            {
                let program = try bench.authtop(["demo", "--json", "--record", path])
                #expect(try await program.ended() == .exit(2))
                #expect(program.errors.text.contains("--record \(path): \(message)"))
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine\n")
        }
    }

    @Test("that is none is 2 with the line and what was expected; one that is cut off is shown")
    func foreign() async throws {
        try await withBench { bench in
            let (path, _, _) = try await Self.record(on: bench)
            let whole = try String(contentsOfFile: path, encoding: .utf8)
            let lines = whole.split(separator: "\n")
            let foreign = try bench.write("{\"diary\": {}}\n", to: "foreign")
            for (path, message) in [
                (foreign, "line 1: expected the first line of a recording"),
                ("\(bench.home)/none", "No such file"), (bench.home, "expected a readable file"),
            ] {
                let replay = try bench.authtop(["replay", path])
                #expect(try await replay.ended() == .exit(2))
                #expect(replay.errors.text.contains("\(path): \(message)"), "\(replay.errors.text)")
                #expect(replay.output.lines == [])
            }
            let start = lines.dropLast().joined(separator: "\n") + "\n"
            for rest in ["", String(lines[5].prefix(40))] {
                let killed = try bench.write(start + rest, to: "killed-\(rest.count)")
                let replay = try bench.authtop(["replay", killed])
                #expect(try await replay.ended() == .exit(0))
                #expect(replay.output.lines.count == lines.count - 2)
                #expect(replay.errors.text.contains("cut off"))
            }
        }
    }

    @Test("is shown on the screen: held, to its end, step by step, and nothing is sent")
    func screen() async throws {
        try await withBench { bench in
            let (path, lines, _) = try await Self.record(on: bench)
            let last = try #require(
                lines.last { $0.contains("\"kind\":\"tokensIssued\"") }
                    .map { try Event(index: 0, line: $0) }
            )
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop replay \(path)")
            try await terminal.see("replay 1× ")
            try await terminal.press("$")
            try await terminal.see("replay over ", "generation \(last.generation)")
            try await terminal.press("r")
            try await terminal.see("this is a recording")
            try await terminal.press("0")
            try await terminal.see("replay held 0 s of")
            try await terminal.seeNo("generation ")
            try await terminal.press(".", ".", "+")
            try await terminal.see("voltyks", "replay held ")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("ends in the frame in which the run ended, but for the player's own two lines")
    func lastFrame() async throws {
        try await withBench { bench in
            let path = "\(bench.home)/recording"
            let program = try bench.authtop([
                "demo", "--access-ttl", "3s", "--faults", "early-revocation:refresh", "--record",
                path, "--print-frame", "120x40", "--for", "10s",
            ])
            try await program.ended()
            let frame = program.output.lines.map { line in
                String(line.reversed().drop { $0 == " " }.reversed())
            }
            #expect(frame.count == 40)
            #expect(frame.contains { $0.contains("○ signed out") })
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop replay \(path)")
            try await terminal.see("replay 1× ")
            try await terminal.press("$")
            try await terminal.see("the last frame:\n\(frame.joined(separator: "\n"))") { screen in
                screen.count == 40 && screen[0].contains("replay over")
                    && screen[1..<39] == frame[1..<39]
            }
        }
    }
}
