import Foundation
import TestSupport
import Testing
import UI

@testable import authtop

/// The page that documents what scripts rely on against what the program prints and returns.
@Suite("The page on interfaces", .programs)
struct InterfacePageTests {
    private let page: DocumentationPage
    private let events: DocumentationPage

    init() throws {
        page = try DocumentationPage("Interfaces")
        events = try DocumentationPage("Events")
    }

    @Test("names every exit code of the program's own, and no other but that of a signal")
    func exitCodes() {
        let codes = page.rows(under: "Exit codes").map { $0[0] }
        let own = [0] + CommandFailure.Exit.allCases.map(\.rawValue)
        #expect(codes == own.map(String.init) + ["128 + n"])
    }

    @Test("names every key of the tables of notifications in config.toml")
    func notifications() {
        #expect(
            page.rows(under: "Notifications").map { $0[0] }
                == (["notifications.terminal"] + Hook.keys.map { "on.\($0)" }).map { "`\($0)`" }
        )
    }

    @Test("names every other key of config.toml, and every command that can have other keys")
    func screenDefaults() {
        let rows = page.rows(under: "Defaults of the screen")
        #expect(
            rows.map { $0[0] }.sorted()
                == (ScreenDefaults.names.dropLast() + ["keys.ACTION"] + KeyMap.names)
                .map { "`\($0)`" }.sorted()
        )
    }

    @Test(
        "says what the program returns",
        arguments: [
            (["--version"], 0), (["status", "voltyks"], 1), (["status", "nobody"], 2),
            (["login", "voltyks", "--nonsense"], 2), (["simulate", "--seed", "1"], 2),
        ] as [([String], Int32)]
    )
    func returned(arguments: [String], code: Int32) async throws {
        try await withBench { bench in
            let base = arguments[0] == "status" ? ["--base-url", "http://127.0.0.1:9"] : []
            let program = try bench.authtop(arguments + base)
            #expect(try await program.ended() == .exit(code), "\(program.errors.text)")
            #expect(page.rows(under: "Exit codes").contains { $0[0] == "\(code)" })
        }
    }

    @Test("has 3 for a backend that is not there")
    func unreachable() async throws {
        try await withBench { bench in
            let relay = try bench.relay(to: try await bench.sandbox())
            try await relay.refuse()
            let login = try await bench.operation(
                "login",
                .voltyks,
                at: relay.port,
                credentials: Guide.voltyks.credentials
            )
            #expect(login.ending == .exit(3), "\(login.errors.text)")
        }
    }

    @Test("has every member of the status of a session, and of what is kept of it")
    func storedSession() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.bitbasel, at: sandbox.port)
            let watch = try bench.watch(
                .bitbasel,
                at: sandbox.port,
                for: "2s",
                "--vault",
                "file",
                "--log",
                bench.home + "/log"
            )
            try await watch.program.ended()
            let statistics = page.members(under: "Statistics")
            let alive = try await status(.bitbasel, in: bench, at: sandbox.port)
            let documented = page.members(under: "The status of a session")
                .union(events.members(under: "`tokensIssued`")).union(statistics)
            #expect(alive.subtracting(documented) == [])
            #expect(alive.isSuperset(of: ["state", "generation", "accessSource", "statisticsAt"]))

            let export = try await bench.operation("data export", .bitbasel, at: sandbox.port)
            let object = try JSON.object(in: export.output.text)
            #expect(Set(object.keys) == ["profile", "sessions"])
            guard case .list(let sessions)? = object["sessions"] else {
                throw JSON.Unreadable(text: export.output.text)
            }
            let session = try #require(sessions.first)
            let kept = page.members(under: "Everything that is kept")
            #expect(kept.subtracting(session.keys) == ["problem"])
            #expect(session.keys.subtracting(kept) == [])
            #expect(session["statistics"]?.keys.subtracting(statistics) == [])
            #expect(session["record"]?.keys == page.members(under: "The vault record"))
            let pair = page.members(under: "The vault record", of: "pair")
            #expect(session["record.pair"]?.keys.subtracting(pair) == [])

            _ = try await bench.operation("logout", .bitbasel, at: sandbox.port)
            let over = try await status(.bitbasel, in: bench, at: sandbox.port)
            #expect(over.subtracting(documented) == [])
            #expect(over.contains("reason"))
        }
    }

    @Test("has every member of a listed session, and of a logout of all")
    func sessions() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let list = try await bench.operation("sessions", .melchat, at: sandbox.port, "--json")
            let listed = try #require(list.output.lines.first, "\(list.errors.text)")
            let members = page.members(under: "Output of `--json`", of: "sessions")
            #expect(Set(try JSON.object(in: listed).keys).subtracting(members) == [])
            let logout = try bench.authtop(["logout", "--all-profiles", "--yes", "--json"])
            try await logout.ended()
            let ended = try #require(logout.output.lines.first, "\(logout.errors.text)")
            #expect(
                Set(try JSON.object(in: ended).keys).isSubset(
                    of: page.members(under: "Output of `--json`", of: "logout --all-profiles")
                )
            )
        }
    }

    @Test("has every member of a decoded token", arguments: [MadeToken(endsIn: 60).text, "opaque"])
    func inspection(token: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["inspect", "--json"], reading: token)
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            let members = page.members(under: "Output of `--json`", of: "inspect")
            let printed = Set(try JSON.object(in: program.output.text).keys)
            #expect(printed.subtracting(members) == [])
            #expect(printed.isSuperset(of: ["fingerprint", "bytes", "format"]))
        }
    }

    @Test("has every member of a forecast")
    func forecast() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["forecast", "voltyks", "--days", "1", "--json"])
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            let object = try JSON.object(in: program.output.text)
            #expect(Set(object.keys) == page.words(ofTextUnder: "A forecast"))
            guard case .list(let rows)? = object["rows"], let row = rows.first else {
                throw JSON.Unreadable(text: program.output.text)
            }
            #expect(row.keys == page.members(under: "A forecast"))
        }
    }

    private func status(_ guide: Guide, in bench: Bench, at port: Int) async throws -> Set<String> {
        let status = try await bench.operation("status", guide, at: port, "--json")
        return Set(try JSON.object(in: status.output.text).keys)
    }
}

extension JSON {
    /// The keys of an object; none of anything else.
    fileprivate var keys: Set<String> {
        if case .object(let members) = self { Set(members.keys) } else { [] }
    }
}
