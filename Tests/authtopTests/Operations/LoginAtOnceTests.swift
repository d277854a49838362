import Foundation
import TestSupport
import Testing

@Suite("authtop login: several at once, and where nothing can be stored", .programs)
struct LoginAtOnceTests {
    @Test("of several programs one logs in, and the others use its session")
    func together() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "10m",
                "--faults",
                "delay:login:seconds=2"
            )
            let base = "http://127.0.0.1:\(sandbox.port)/intellipost"
            let programs = try ["login", "login", "watch", "login"].map { command in
                let more = command == "watch" ? ["--json", "--for", "120s"] : []
                return try bench.authtop(
                    [command, "intellipost", "--base-url", base, "--vault", "file"] + more,
                    with: Guide.intellipost.credentials
                )
            }
            try await EventStream(programs[2].output).state("fresh")
            try await programs[2].interrupt()
            for index in [0, 1, 3] {
                let program = programs[index]
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            }
            let report = try await sandbox.report()
            #expect(report.counters(of: .intellipost)?.logins == 1)
            #expect(report.sessions(of: .intellipost).map(\.ended) == [nil])
        }
    }

    @Test("no credentials are sent where the session could not be stored")
    func unwritable() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            // A file where the folder would be: no user can write there, not even root.
            let state = "\(bench.home)/blocked"
            try Data().write(to: URL(filePath: state))
            let base = "http://127.0.0.1:\(sandbox.port)/intellipost"
            let login = try bench.authtop(
                ["login", "intellipost", "--base-url", base],
                with: Guide.intellipost.credentials.merging(["XDG_STATE_HOME": state]) { $1 }
            )
            #expect(try await login.ended() == .exit(3))
            #expect(login.errors.text.contains("Not a directory"), "\(login.errors.text)")
            #expect(try await sandbox.report().counters(of: .intellipost)?.logins ?? 0 == 0)
        }
    }

    @Test(
        "no credentials are sent where the disk is full",
        .enabled("mounting is not permitted") { await SmallDisk.isPossible }
    )
    func full() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let home = "\(bench.home)/disk"
            let disk = bench.keep(try await SmallDisk(at: home))
            try await disk.fill()
            let base = "http://127.0.0.1:\(sandbox.port)/intellipost"
            let login = try bench.authtop(
                ["login", "intellipost", "--base-url", base],
                with: Guide.intellipost.credentials.merging(["XDG_STATE_HOME": home]) { $1 }
            )
            #expect(try await login.ended() == .exit(3))
            #expect(login.errors.text.contains(SmallDisk.message))
            #expect(try await sandbox.report().counters(of: .intellipost)?.logins ?? 0 == 0)
        }
    }

    @Test(
        "a pair that came and cannot be stored is revoked before the program ends",
        .enabled("mounting is not permitted") { await SmallDisk.isPossible }
    )
    func fullMeanwhile() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--faults", "delay:login:seconds=10")
            let home = "\(bench.home)/disk"
            let disk = bench.keep(try await SmallDisk(at: home))
            let base = "http://127.0.0.1:\(sandbox.port)/melchat"
            let login = try bench.authtop(
                ["login", "melchat", "--base-url", base, "--json"],
                with: Guide.melchat.credentials.merging(["XDG_STATE_HOME": home]) { $1 }
            )
            let stream = EventStream(login.output)
            _ = try await stream.first("loginStarted")
            // The credentials have left: only their answer is still to come.
            _ = try await eventually("a login in progress") {
                let fired = try await sandbox.report().faultsFired["delay", default: 0]
                return fired > 0 ? fired : nil
            }
            try await disk.fill()
            #expect(try await login.ended() == .exit(3))
            #expect(login.errors.text.contains("its session was ended at the backend again"))
            let sessions = try await sandbox.report().sessions(of: .melchat)
            #expect(sessions.count == 1)
            #expect(sessions.allSatisfy { $0.ended != nil })
        }
    }
}
