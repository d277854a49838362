import Foundation
import TestSupport
import Testing

@Suite("The salt of fingerprints", .programs)
struct SaltTests {
    @Test("is made again where it was cut short, and is the same for all processes then")
    func cutShort() async throws {
        try await withBench { bench in
            let path = try bench.writePrivately("half a salt", to: "state/authtop/salt")
            let sandbox = try await bench.sandbox()
            let watch = try bench.watch(.intellipost, at: sandbox.port)
            let issued = try await watch.stream.first("tokensIssued")
            let session = try #require(try await sandbox.report().sessions(of: .intellipost).first)
            #expect(issued.text("access") == session.access)
            #expect(FileManager.default.contents(atPath: path)?.count == 32)
        }
    }

    @Test("is one for all who start at the same time, before there is any")
    func sameTime() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let folder = bench.home + "/fresh"
            _ = try await bench.logIn(.intellipost, at: sandbox.port)
            try FileManager.default.copyItem(atPath: bench.home + "/state", toPath: folder)
            try FileManager.default.removeItem(atPath: folder + "/authtop/salt")
            let base = "http://127.0.0.1:\(sandbox.port)/intellipost"
            let programs = try (1...8).map { _ in
                try bench.authtop(
                    ["status", "intellipost", "--base-url", base, "--json"],
                    with: ["XDG_STATE_HOME": folder]
                )
            }
            var fingerprints: Set<String> = []
            for program in programs {
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                let line = try #require(program.output.lines.first)
                let status = try Event(index: 0, line: line)
                fingerprints.insert(try #require(status.text("access"), "\(line)"))
            }
            #expect(fingerprints.count == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/authtop")
            #expect(names.filter { $0.hasPrefix("salt") } == ["salt"])
        }
    }
}
