import Foundation
import TestSupport
import Testing

@Suite("keep", .programs)
struct KeepTests {
    @Test(
        "what is older goes at the next start of whatever opens the vault, never a live session",
        arguments: ["status", "login", "refresh", "logout", "watch", "sessions"]
    )
    func old(command: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                "extends = \"voltyks\"\nretention = \"1d\"\n"
                    + "base_url = \"http://127.0.0.1:\(sandbox.port)/voltyks\"\n",
                to: "config/authtop/profiles/mine.toml"
            )
            let credentials = [
                "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
            ]
            let log = bench.home + "/log"
            let watch = try bench.authtop(
                ["watch", "mine", "--json", "--log", log],
                with: credentials
            )
            try await EventStream(watch.output).first("tokensIssued")
            try await eventually("statistics and a log") {
                try !bench.counted.isEmpty && FileManager.default.fileExists(atPath: log)
            }
            try await watch.interrupt()
            let statistics = try #require(
                try bench.stateNames.first { $0.hasSuffix(".statistics") }
            )
            let path = bench.home + "/state/authtop/" + statistics
            try age(path, days: 0.5)
            try age(log, days: 0.5)
            let young = try bench.authtop(["status", "mine"])
            #expect(try await young.ended() == .exit(0), "\(young.output.text)")
            for place in [path, log, "\(bench.home)/state/authtop/key"] {
                #expect(FileManager.default.fileExists(atPath: place))
                #expect(young.output.text.contains(place))
            }
            try age(path, days: 2)
            try age(log, days: 2)
            let next = try bench.authtop(
                [command, "mine"] + (command == "watch" ? ["--json"] : [])
            )
            if command == "watch" {
                try await EventStream(next.output).first("tokensIssued")
                try await eventually("statistics again") {
                    FileManager.default.fileExists(atPath: path)
                }
                try await next.interrupt()
            } else {
                try await next.ended()
            }
            #expect(FileManager.default.fileExists(atPath: log) == false)
            // A watch counts from the beginning.
            #expect(FileManager.default.fileExists(atPath: path) == (command == "watch"))
            let status = try bench.authtop(["status", "mine"])
            #expect(try await status.ended() == .exit(command == "logout" ? 1 : 0))
        }
    }

    @Test("what a session left that is over is gone with its key")
    func tombstone() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                "extends = \"voltyks\"\nretention = \"1s\"\n"
                    + "base_url = \"http://127.0.0.1:\(sandbox.port)/voltyks\"\n",
                to: "config/authtop/profiles/mine.toml"
            )
            let login = try bench.authtop(
                ["login", "mine"],
                with: [
                    "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
                ]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let logout = try bench.authtop(["logout", "mine"])
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            #expect(try bench.stateNames.contains { $0.hasSuffix(".vault") })
            try await eventually("an empty folder", evidence: { "" }) {
                let status = try bench.authtop(["status", "mine"])
                try await status.ended()
                return try bench.stateNames == ["salt"]
            }
        }
    }

    private func age(_ path: String, days: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(-days * 86_400)],
            ofItemAtPath: path
        )
    }
}
