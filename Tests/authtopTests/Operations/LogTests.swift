import Foundation
import TestSupport
import Testing

@Suite("--log", .programs)
struct LogTests {
    @Test("appends the events to a file that is this user's alone, with no token and no credential")
    func secrets() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let relay = try bench.relay(to: sandbox)
            let log = bench.home + "/log"
            let password = "wrong-horse-battery"
            let refused = try await bench.operation(
                "login",
                .voltyks,
                at: relay.port,
                "--log",
                log,
                "--log-level",
                "trace",
                credentials: Guide.voltyks.credentials.merging(
                    ["AUTHTOP_VOLTYKS_PASSWORD": password]
                ) { $1 }
            )
            #expect(refused.ending == .exit(1))
            let login = try bench.authtop(
                [
                    "login", "voltyks", "--base-url", "http://127.0.0.1:\(relay.port)/voltyks",
                    "--log", log, "--log-level", "trace",
                ],
                with: Guide.voltyks.credentials
            )
            let commandLine = login.commandLine
            #expect(try await login.ended() == .exit(0))
            let watch = try bench.watch(
                .voltyks,
                at: relay.port,
                "--vault",
                "file",
                "--log",
                log,
                "--log-level",
                "trace",
                credentials: [:]
            )
            let first = try await watch.stream.first("refreshSucceeded")
            try await watch.stream.first("refreshSucceeded", after: first)
            let watched = watch.program.commandLine
            watch.program.send(SIGTERM)
            try await watch.program.ended()
            let refresh = try await bench.operation(
                "refresh",
                .voltyks,
                at: relay.port,
                "--log",
                log
            )
            let status = try await bench.operation("status", .voltyks, at: relay.port)
            let show = try bench.authtop(["profiles", "show", "voltyks"])
            try await show.ended()

            let text = try String(contentsOfFile: log, encoding: .utf8)
            for part in ["loginStarted", "feedMessage", "refreshSucceeded", "info ", "trace "] {
                #expect(text.contains(part), "\(part)")
            }
            let harvest = TokenHarvest(relay)
            #expect(harvest.tokens.count >= 6)
            let programs = [refused, login, watch.program, refresh, status, show]
            let seen =
                [text, commandLine, watched]
                + programs.flatMap { [$0.output.text, $0.errors.text] }
            for text in seen {
                #expect(harvest.leaks(in: text) == [])
                #expect(text.contains(password) == false)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: log)[.posixPermissions]
            #expect((mode as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test("goes on in a new file at SIGHUP, where there is no terminal that could hang up")
    func reopened() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let log = bench.home + "/log"
            let program = bench.keep(
                try Program(
                    "/usr/bin/setsid",
                    [
                        Authtop.path, "watch", "voltyks", "--base-url",
                        "http://127.0.0.1:\(sandbox.port)/voltyks", "--json", "--vault", "memory",
                        "--log", log,
                    ],
                    environment: bench.environment.merging(Guide.voltyks.credentials) { $1 }
                )
            )
            let stream = EventStream(program.output)
            try await stream.first("refreshSucceeded")
            try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
            program.send(SIGHUP)
            try await eventually("a line in the new file") {
                (try? String(contentsOfFile: log, encoding: .utf8))?.isEmpty == false
            }
            program.send(SIGTERM)
            #expect(try await program.ended() == .exit(128 + SIGTERM))
            let old = try String(contentsOfFile: log + ".1", encoding: .utf8)
            let new = try String(contentsOfFile: log, encoding: .utf8)
            #expect(old.contains("loginStarted"))
            #expect(!new.contains("loginStarted"))
            let mode = try FileManager.default.attributesOfItem(atPath: log)[.posixPermissions]
            #expect((mode as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test("is refused where others can read the file, and through a link")
    func refused() async throws {
        try await withBench { bench in
            let log = try bench.write("", to: "log")
            let open = try await bench.operation("login", .voltyks, at: 1, "--log", log)
            #expect(open.ending == .exit(2))
            #expect(open.errors.text.contains("chmod 600 \(log)"))
            let link = bench.home + "/link"
            let target = try bench.writePrivately("", to: "target")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            let linked = try await bench.operation("login", .voltyks, at: 1, "--log", link)
            #expect(linked.ending == .exit(2))
            #expect(linked.errors.text.contains("a symbolic link"))
        }
    }
}
