import Foundation
import TestSupport
import Testing

@Suite("Without a home folder", .programs)
struct HomeTests {
    /// The values of the variables, none of which is a place to keep anything at.
    private static let homes: [[String: String]] = [
        [:], ["HOME": ""], ["HOME": "home"],
        ["HOME": "./home", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"],
    ]

    @Test(
        "a command that keeps a session says what to set, and makes no folder",
        arguments: homes,
        [
            "watch melchat", "login melchat", "status melchat", "refresh melchat", "logout melchat",
            "sessions melchat", "data export melchat", "data forget melchat --yes",
        ]
    )
    func kept(variables: [String: String], command: String) async throws {
        try await withBench { bench in
            let program = try await run(command, " --base-url http://127.0.0.1:1", variables, bench)
            #expect(program.ending == .exit(2), "\(program.errors.text)")
            #expect(program.errors.lines.count == 1)
            let state = program.errors.text.contains("HOME is ")
            #expect(state && program.errors.text.contains("XDG_STATE_HOME"))
            #expect(try bench.files.filter { $0.contains("/here/") } == [])
        }
    }

    @Test("a command that needs none works", arguments: homes)
    func notNeeded(variables: [String: String]) async throws {
        try await withBench { bench in
            for command in [
                "profiles list", "profiles show melchat", "demo --json --for 4s",
                "inspect --help", "sandbox --help",
            ] {
                let program = try await run(command, "", variables, bench)
                #expect(program.ending == .exit(0), "\(command): \(program.errors.text)")
            }
            let own = try await run("profiles init mine", "", variables, bench)
            #expect(own.ending == .exit(2))
            #expect(own.errors.text.contains("XDG_CONFIG_HOME"))
            let unknown = try await run("profiles show mine", "", variables, bench)
            #expect(unknown.ending == .exit(2))
            #expect(unknown.errors.text.contains("expected one of bitbasel"))
            #expect(try bench.files.filter { $0.contains("/here/") } == [])
        }
    }

    @Test("an absolute XDG folder is enough, and a relative one counts as none")
    func folders() async throws {
        try await withBench { bench in
            let state = bench.home + "/absolute"
            let fixed = try await run(
                "status melchat",
                " --base-url http://127.0.0.1:1",
                ["XDG_STATE_HOME": state],
                bench
            )
            #expect(fixed.ending == .exit(1), "\(fixed.errors.text)")
            let relative = try await run(
                "status melchat",
                " --base-url http://127.0.0.1:1",
                ["XDG_STATE_HOME": "state", "HOME": bench.home],
                bench
            )
            #expect(relative.ending == .exit(1), "\(relative.errors.text)")
            #expect(try bench.files.filter { $0.contains("/here/") } == [])
        }
    }

    /// Runs a command in a folder of its own, with these variables and no others.
    private func run(
        _ command: String,
        _ more: String,
        _ variables: [String: String],
        _ bench: Bench
    ) async throws -> Program {
        let here = bench.home + "/here"
        try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: true)
        let program = bench.keep(
            try Program(
                "/bin/sh",
                ["-c", "cd '\(here)' && exec '\(Authtop.path)' \(command)\(more)"],
                environment: variables
            )
        )
        try await program.ended()
        return program
    }
}
