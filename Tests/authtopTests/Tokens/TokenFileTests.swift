import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import authtop

@Suite("A file that is kept fresh", .programs)
struct TokenFileTests {
    /// Reads a file until it is told to stop.
    ///
    /// - Returns: What was found, and how often there was no file.
    private static func read(_ path: String, until isOver: () -> Bool) -> (Set<Data>, Int) {
        var found: Set<Data> = []
        var missing = 0
        while !isOver() {
            if let data = FileManager.default.contents(atPath: path) {
                found.insert(data)
            } else {
                missing += 1
            }
        }
        return (found, missing)
    }

    @Test("is there at each moment, with the old contents or the new ones, whole")
    func race() async throws {
        try await withBench { bench in
            let path = bench.home + "/token"
            let file = PrivateFile(path: path, option: "--watch")
            try file.checkExchange()
            let texts = (0..<8).map { String(repeating: "\($0)", count: 10_000 + $0) }
            try file.exchange(for: texts[0])
            let isOver = Mutex(false)
            async let reading = onThread { Self.read(path) { isOver.withLock { $0 } } }
            let failure = Result {
                for number in 0..<200 { try file.exchange(for: texts[number % texts.count]) }
            }
            isOver.withLock { $0 = true }
            let (found, missing) = try await reading
            try failure.get()
            #expect(missing == 0)
            #expect(found.isSubset(of: Set(texts.map { Data($0.utf8) })))
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.home) == ["token"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test("has the tokens of a session one after the other, until a logout removes it")
    func watched() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "8s", "--reuse", "strict-revoke")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let path = bench.home + "/token"
            let keeper = try bench.authtop([
                "token", "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks",
                "--watch", path, "--format", "json",
            ])
            try await eventually("the file", evidence: { keeper.errors.text }) {
                FileManager.default.fileExists(atPath: path)
            }
            var tokens: Set<String> = []
            try await eventually("three tokens", evidence: { keeper.errors.text }) {
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let token = try #require(try JSON.object(in: text)["access_token"]?.text)
                if tokens.insert(token).inserted {
                    #expect(try await Guide.voltyks.ask(with: token, at: sandbox).status == 200)
                }
                return tokens.count >= 3
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            _ = try await bench.operation("logout", .voltyks, at: sandbox.port)
            #expect(try await keeper.ended() == .exit(1))
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(keeper.errors.text.contains("run: authtop login voltyks"))
            #expect(keeper.output.lines == [])
            let counters = try #require(try await sandbox.report().counters(of: .voltyks))
            #expect(counters.reuses == 0)
        }
    }

    @Test("stays where it is if the program is interrupted")
    func interrupted() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let path = bench.home + "/token"
            let keeper = try bench.authtop([
                "token", "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks",
                "--watch", path,
            ])
            try await eventually("the file", evidence: { keeper.errors.text }) {
                FileManager.default.fileExists(atPath: path)
            }
            keeper.send(SIGTERM)
            #expect(try await keeper.ended() == .exit(128 + SIGTERM))
            let token = try await bench.operation("token", .voltyks, at: sandbox.port)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text == token.output.text + "\n")
        }
    }

    @Test("is in a folder that is there, and takes the place of no link and no folder")
    func mistakes() async throws {
        try await withBench { bench in
            let target = try bench.write("mine", to: "target")
            let link = bench.home + "/link"
            try FileManager.default.createSymbolicLink(
                atPath: link,
                withDestinationPath: target
            )
            for (path, message) in [
                (bench.home + "/none/token", "No such file or directory"),
                (link, "expected a file, or none"), (bench.home, "expected a file, or none"),
            ] {
                let program = try bench.authtop([
                    "token", "voltyks", "--base-url", "http://127.0.0.1:1/voltyks", "--watch", path,
                ])
                #expect(try await program.ended() == .exit(2))
                #expect(program.errors.text.contains(message), "\(program.errors.text)")
            }
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
        }
    }
}
