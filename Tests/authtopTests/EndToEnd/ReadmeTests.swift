import Foundation
import TestSupport
import Testing

/// The commands of the README as they stand, in a shell that has the program on its path.
@Suite("The README", .programs, .timeLimit(.minutes(20)))
struct ReadmeTests {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    /// A door: its commands, and what they print as far as the README shows it.
    private struct Door {
        var commands: [String] = []
        var shown: [String] = []

        var script: String { commands.joined(separator: "\n") }

        init(_ title: String) throws {
            let file = ReadmeTests.top.appendingPathComponent("README.md")
            let text = try String(contentsOf: file, encoding: .utf8)
            let start = try #require(text.firstRange(of: "\n## \(title)\n"), "\(title)").upperBound
            var isFenced = false
            for line in text[start...].split(separator: "\n", omittingEmptySubsequences: false) {
                guard !line.hasPrefix("## ") else { break }
                if line.hasPrefix("```") {
                    isFenced.toggle()
                } else if isFenced {
                    shown.append(String(line))
                } else if line.hasPrefix("    ") {
                    commands.append(String(line.dropFirst(4)))
                }
            }
            #expect(!commands.isEmpty && !shown.isEmpty)
        }
    }

    @Test("a door's commands print what it shows", arguments: [("My CI", 1), ("A demo", 1)])
    func door(title: String, code: Int32) async throws {
        let door = try Door(title)
        try await withBench { bench in
            // A port and files of the test's own.
            let script = door.script.replacing("--port 8787", with: "--port 0")
                .replacing("http://127.0.0.1:8787", with: "$(sed -n '1s/.* //p' /tmp/sandbox.log)")
                .replacing("/tmp/", with: bench.home + "/")
            try await expect(script, toPrint: door.shown, endingWith: code, in: bench)
        }
    }

    @Test(
        "so do those that ask a server that is not ours",
        .enabled("python3-django-oauth-toolkit is not installed") {
            await OAuthServer.isInstalled()
        }
    )
    func backend() async throws {
        let door = try Door("My backend")
        try await withBench { bench in
            let socket = try LoopbackSocket.bind()
            let port = LoopbackSocket.port(of: socket)
            close(socket)
            let profile = try bench.write(
                try OAuthServer.profile(grant: "password", at: port),
                to: "toolkit.toml"
            )
            // What it installs is there; a port and files of the test's own.
            let script = door.script.replacing(#/\$\(command -v sudo\) apt-get [^;]*; /#, with: "")
                .replacing("8000", with: "\(port)")
                .replacing("/usr/bin/python3 ", with: "'\(OAuthServer.python)' -B ")
                .replacing("$(mktemp -u)", with: bench.home + "/oauth.sqlite3")
                .replacing("Tests/authtopTests/OAuthServer/toolkit.toml", with: "'\(profile)'")
            try await expect(script, toPrint: door.shown, endingWith: 0, in: bench)
        }
    }

    private func expect(
        _ script: String,
        toPrint shown: [String],
        endingWith code: Int32,
        in bench: Bench
    ) async throws {
        var environment = bench.environment
        let folder = URL(fileURLWithPath: Authtop.path).deletingLastPathComponent().path()
        environment["PATH"] = folder + ":" + (environment["PATH"] ?? "")
        let shell = "cd '\(Self.top.path())'; trap 'kill $(jobs -p)' EXIT\n\(script)"
        let program = bench.keep(try Program("/bin/bash", ["-c", shell], environment: environment))
        #expect(try await program.ended(within: .seconds(120)) == .exit(code))
        let printed = Self.comparable(program.output.text + "\n" + program.errors.text)
        for line in shown {
            #expect(printed.contains(Self.comparable(line)), "\(line)\n\(printed)")
        }
    }

    /// The text without what is different in each run, and without the mark of what was left out.
    private static func comparable(_ text: String) -> String {
        text.replacing(#/ …$/#, with: "").replacing(#/[0-9]+/#, with: "0")
            .replacing(#/ +/#, with: " ").trimmingCharacters(in: .whitespaces)
    }
}
