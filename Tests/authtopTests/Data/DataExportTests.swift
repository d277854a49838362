import Foundation
import TestSupport
import Testing

@Suite("authtop data export", .programs)
struct DataExportTests {
    @Test("prints all that is kept as JSON, its tokens as fingerprints", arguments: Guide.allCases)
    func fingerprints(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            let login = try await bench.operation(
                "login",
                guide,
                at: relay.port,
                "--log",
                bench.home + "/log",
                credentials: guide.credentials
            )
            #expect(login.ending == .exit(0), "\(login.errors.text)")
            let watch = try bench.watch(guide, at: relay.port, "--vault", "file")
            try await watch.stream.first("tokensIssued")
            try await eventually("statistics") { try !bench.counted.isEmpty }
            try await watch.program.interrupt()
            let export = try await bench.operation("data export", guide, at: relay.port)
            #expect(export.ending == .exit(0), "\(export.errors.text)")
            #expect(TokenScan(TokenHarvest(relay).tokens).forms(in: export.output.text) == [])
            let session = try export.session
            let access = try #require(login.output.text.firstMatch(of: /access +(‹\w+›)/)?.output.1)
            #expect(session["record.pair.access"]?.text == String(access))
            #expect(session["record.pair.generation"]?.number == 1)
            #expect(session["record.epoch"]?.number == 1)
            #expect(session["record.outbox"] == .list([]))
            #expect(session["statistics.requests"]?.number != nil)
            #expect(session["places.logs"] == .list([.text(bench.home + "/log")]))
            guard case .list(let files)? = session["files"] else { throw JSON.Unreadable(text: "") }
            let stored = try bench.stateNames.filter { $0.hasPrefix(guide.rawValue) }
            #expect(files.count == stored.count)
        }
    }

    @Test("without a base URL is of every backend of that name; where nothing is kept it is 1")
    func everyBackend() async throws {
        try await withBench { bench in
            let nothing = try bench.authtop(["data", "export", "voltyks"])
            #expect(try await nothing.ended() == .exit(1))
            #expect(nothing.errors.text.contains("nothing is stored for voltyks"))
            let first = try await bench.sandbox("--access-ttl", "10m")
            let second = try await bench.sandbox("--access-ttl", "10m")
            for sandbox in [first, second] { _ = try await bench.logIn(.voltyks, at: sandbox.port) }
            let all = try bench.authtop(["data", "export", "voltyks"])
            #expect(try await all.ended() == .exit(0))
            #expect(try all.sessions.count == 2)
            let one = try await bench.operation("data export", .voltyks, at: first.port)
            #expect(try one.sessions.count == 1)
        }
    }

    @Test("of a record that cannot be read says why, with the rest, and is 3")
    func damaged() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            try FileManager.default.removeItem(atPath: bench.home + "/state/authtop/key")
            let export = try await bench.operation("data export", .voltyks, at: sandbox.port)
            #expect(export.ending == .exit(3))
            #expect(try export.session["problem"]?.text?.contains("its key is missing") == true)
        }
    }

    @Test("shows the tokens with --reveal and --yes, and refuses where no user can be asked")
    func revealed() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.intellipost, at: relay.port)
            let tokens = TokenHarvest(relay).tokens
            let export = ["data", "export", "intellipost", "--reveal"]
            let refused = try bench.authtop(export)
            #expect(try await refused.ended() == .exit(2))
            #expect(refused.output.text == "")
            #expect(refused.errors.text.contains("add --yes"))
            let script = try bench.authtop(export + ["--yes"])
            #expect(try await script.ended() == .exit(0))
            let pair = try ["access", "refresh"].map { name in
                try #require(try script.session["record.pair.\(name)"]?.text)
            }
            #expect(tokens.isSuperset(of: pair))

            let terminal = try await bench.terminal()
            try await terminal.enter("authtop data export intellipost --reveal")
            try await terminal.see("Type yes:")
            try await terminal.enter("no")
            try await terminal.seePrompt(after: 1)
            #expect(!(try await terminal.history).contains(pair[1].prefix(12)))
            try await terminal.enter("authtop data export intellipost --reveal")
            try await terminal.see("two questions") { $0.count { $0.contains("Type yes:") } == 2 }
            try await terminal.enter("yes")
            try await terminal.seePrompt(after: 0)
            #expect(
                (try await terminal.history).replacing("\n", with: "").contains(pair[1].prefix(12))
            )
        }
    }
}

extension Program {
    fileprivate var sessions: [JSON] {
        get throws {
            guard case .list(let sessions)? = try JSON.object(in: output.text)["sessions"] else {
                throw JSON.Unreadable(text: output.text)
            }
            return sessions
        }
    }

    fileprivate var session: JSON { get throws { try #require(try sessions.first) } }
}
