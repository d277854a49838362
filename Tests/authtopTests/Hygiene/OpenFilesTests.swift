import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Open files", .programs)
struct OpenFilesTests {
    /// Starts the program under a limit, as the shell's `ulimit` takes it.
    private static func start(
        _ limit: String,
        _ arguments: [String],
        on bench: Bench
    ) throws -> Program {
        bench.keep(
            try Program(
                "/bin/sh",
                ["-c", "ulimit \(limit) && exec \"$0\" \"$@\"", Authtop.path] + arguments,
                environment: bench.environment
            )
        )
    }

    /// The processor time of a program so far, in seconds.
    private static func processorTime(of program: Program) throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(program.pid)/stat", encoding: .utf8)
        let fields = try #require(stat.split(separator: ")").last).split(separator: " ")
        let ticks = try fields[11...12].map { try #require(Double($0)) }.reduce(0, +)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    @Test("are as many as the system allows, and programs get back the limit of the start")
    func raised() async throws {
        try await withBench { bench in
            let proxy = try Self.start(
                "-Sn 200",
                [
                    "proxy", "--to", "http://127.0.0.1:1", "--port", "0", "--exec",
                    "ulimit -Sn; sleep 9",
                ],
                on: bench
            )
            let child = try await eventually("the program's limit") { proxy.output.lines.first }
            #expect(child == "200")
            let limits = try String(contentsOfFile: "/proc/\(proxy.pid)/limits", encoding: .utf8)
            let line = try #require(
                limits.split(separator: "\n").first { $0.contains("open files") }
            )
            let both = line.split(separator: " ").dropFirst(3).prefix(2)
            #expect(Set(both).count == 1, "\(line)")
            await proxy.stop()
        }
    }

    @Test("that are too few are said to be that", arguments: [5, 8, 12, 63])
    func tooFew(limit: Int) async throws {
        try await withBench { bench in
            let program = try Self.start("-n \(limit)", ["sandbox", "--port", "0"], on: bench)
            #expect(try await program.ended() == .exit(2))
            #expect(
                program.errors.lines == [
                    "authtop: the system allows \(limit) open files (ulimit -n): expected at least 64"
                ]
            )
        }
    }

    @Test(
        "that are all in use leave the processor alone, and later connections are served",
        arguments: [
            ["proxy", "--to", "http://127.0.0.1:1", "--port", "0"], ["sandbox", "--port", "0"],
        ]
    )
    func exhausted(arguments: [String]) async throws {
        try await withBench { bench in
            let program = try Self.start("-n 64", arguments, on: bench)
            let port = try await eventually("the port") {
                (program.output.text + program.errors.text)
                    .firstMatch(of: /http:\/\/127\.0\.0\.1:(\d{4,5})\b/).flatMap { Int($0.1) }
            }
            var sockets: [Int32] = []
            defer { for socket in sockets { close(socket) } }
            for _ in 0..<100 { sockets.append(try LoopbackSocket.connect(to: port)) }
            let before = try Self.processorTime(of: program)
            // Real time, since the processor is what is measured.
            _ = try await onThread { sleep(4) }
            #expect(try Self.processorTime(of: program) - before < 1.5)
            for socket in sockets { close(socket) }
            sockets = []
            let answer = try await onThread {
                let socket = try LoopbackSocket.connect(to: port)
                defer { close(socket) }
                LoopbackSocket.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8, on: socket)
                return LoopbackSocket.receive(on: socket)
            }
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 "))
        }
    }
}
