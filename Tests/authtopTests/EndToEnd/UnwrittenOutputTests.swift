import Foundation
import Glibc
import TestSupport
import Testing

/// Output that does not arrive.
@Suite("Output that cannot be written", .programs)
struct UnwrittenOutputTests {
    private static let variables = [
        "AUTHTOP_VOLTYKS_EMAIL": "user@example.com", "AUTHTOP_VOLTYKS_PASSWORD": "password",
    ]

    /// Runs authtop with a standard output that takes nothing.
    private static func run(_ arguments: [String], on bench: Bench) async throws -> Program {
        let program = bench.keep(
            try Program(
                "/bin/sh",
                ["-c", "exec \"$0\" \"$@\" >/dev/full", Authtop.path] + arguments,
                environment: bench.environment
            )
        )
        try await program.ended(within: .seconds(120))
        return program
    }

    @Test(
        "is no success of a command, and is named",
        arguments: [
            ["--help"], ["watch", "--help"], ["--version"], ["profiles", "list"],
            ["proxy", "explain", "race"],
            ["status", "voltyks", "--base-url", "http://127.0.0.1:1"],
            ["forecast", "voltyks"],
            ["demo", "--json", "--for", "20s"], ["sandbox", "--port", "0"],
        ]
    )
    func command(arguments: [String]) async throws {
        try await withBench { bench in
            let program = try await Self.run(arguments, on: bench)
            let code = program.ending.map { "\($0)" } ?? ""
            #expect(program.ending != .exit(0), "\(code) \(program.errors.text)")
            let last = program.errors.lines.last
            #expect(last == "authtop: standard output: No space left on device", "\(code)")
        }
    }

    @Test("is no success where a session is stored, whatever is printed of it")
    func stored() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "300s")
            let session = [
                "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks",
            ]
            let login = try bench.authtop(["login"] + session, with: Self.variables)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let commands = [
                ["token"], ["status"], ["data", "export"], ["refresh"], ["login"], ["logout"],
            ]
            for command in commands {
                let named = command == ["data", "export"] ? ["voltyks"] : session
                let program = try await Self.run(command + named, on: bench)
                #expect(program.ending == .exit(2), "\(command): \(program.errors.text)")
                #expect(program.errors.text.contains("standard output: No space left on device"))
            }
        }
    }

    @Test("does not hide what a check has found, and a reader that wants no more is no failure")
    func check() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let check = [
                "check", "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks",
                "--only", "refresh,reuse", "--junit",
            ]
            for (expectation, output, code) in [
                ([], "/dev/full", 2), (["--expect", "policy=static"], "/dev/full", 1),
                (["--expect", "policy=static"], "/dev/null", 1), ([], "/dev/null", 0),
            ] as [([String], String, Int32)] {
                let program = bench.keep(
                    try Program(
                        "/bin/sh",
                        ["-c", "exec \"$0\" \"$@\" >\(output)", Authtop.path] + check + expectation,
                        environment: bench.environment.merging(Self.variables) { $1 }
                    )
                )
                let ending = try await program.ended(within: .seconds(120))
                #expect(ending == .exit(code), "\(expectation) \(output): \(program.errors.text)")
            }
        }
    }

    @Test(
        "is success where the reader has read enough, whatever the shell does with the signal",
        arguments: ["", "trap '' PIPE;"]
    )
    func piped(trap: String) async throws {
        try await withBench { bench in
            let program = bench.keep(
                try Program(
                    "/bin/sh",
                    [
                        "-c", "{ \(trap) \"$0\" proxy explain; echo $? >&2; } | head -n 1",
                        Authtop.path,
                    ],
                    environment: bench.environment
                )
            )
            try await program.ended()
            #expect(program.errors.lines == ["0"])
        }
    }

    @Test(
        "is named where it was closed before the start, and no socket or file takes its place",
        arguments: [("1", "profiles list"), ("2", "status voltyks --base-url http://127.0.0.1:1")]
    )
    func closed(descriptor: String, arguments: String) async throws {
        try await withBench { bench in
            let program = bench.keep(
                try Program(
                    "/bin/sh",
                    ["-c", "\"$0\" \(arguments) \(descriptor)>&-; echo $?", Authtop.path],
                    environment: bench.environment
                )
            )
            try await program.ended()
            if descriptor == "1" {
                #expect(program.output.lines == ["2"])
                let message = "authtop: standard output: Bad file descriptor"
                #expect(program.errors.lines == [message])
            } else {
                #expect(program.output.lines.last == "1")
                #expect(program.errors.text == "")
            }
        }
    }
}

/// Files that grow while a program runs, on a disk that becomes full.
@Suite(
    "A disk that becomes full under a recording and a log",
    .programs,
    .enabled("mounting is not permitted") { await SmallDisk.isPossible }
)
struct FullDiskRecordingTests {
    @Test("is named at once and at the end, which is no success; what was recorded can be read")
    func recording() async throws {
        try await withBench { bench in
            let path = "\(bench.home)/disk"
            _ = bench.keep(try await SmallDisk(at: path))
            let files = ["--record", "\(path)/recording", "--log", "\(path)/log"]
            let demo = try bench.authtop(
                [
                    "demo", "--dialect", "voltyks", "--json", "--every", "100ms", "--for", "25s",
                    "--log-level", "trace",
                ] + files
            )
            let stopped = "recording stopped: \(path)/recording: No space left on device"
            let incomplete = "the log is not complete: --log \(path)/log: No space left on device"
            try await eventually("both warnings", evidence: { demo.errors.text }) {
                [stopped, incomplete].allSatisfy(demo.errors.text.contains)
            }
            #expect(try await demo.ended(within: .seconds(120)) == .exit(2), "\(demo.errors.text)")
            #expect(demo.errors.lines.suffix(2).contains("authtop: \(stopped)"))
            #expect(demo.errors.lines.suffix(2).contains("authtop: \(incomplete)"))
            let replay = try bench.authtop(["replay", "\(path)/recording", "--json"])
            #expect(try await replay.ended() == .exit(0), "\(replay.errors.text)")
            #expect(replay.output.lines.count > 5)
            #expect(replay.errors.text.contains("cut off"))
        }
    }
}
