import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A stored session", .programs)
struct StoredSessionTests {
    @Test(
        "outlives SIGKILL: the next start goes on with it, without credentials or a login",
        arguments: Guide.allCases
    )
    func killed(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s", "--reuse", guide.reuse)
            let first = try bench.watch(guide, at: sandbox.port, "--vault", "file")
            let renewed = try await first.stream.first("refreshSucceeded")
            try await first.stream.first("tokensIssued", after: renewed)
            first.program.send(SIGKILL)
            #expect(try await first.program.ended() == .signal(SIGKILL))
            // On a busy machine it has renewed again before the signal.
            let pair = try #require(try first.stream.all("tokensIssued").last)

            let next = try bench.watch(guide, at: sandbox.port, "--vault", "file", credentials: [:])
            let resumed = try await next.stream.first("tokensIssued")
            #expect(resumed.text("origin") == "resumed")
            #expect(resumed.generation == pair.generation)
            #expect(resumed.text("access") == pair.text("access"))
            try await next.stream.first("refreshSucceeded", after: resumed)
            try await next.stream.first("feedSwitched", after: resumed)
            #expect(try await sandbox.report().counters(of: guide)?.logins == 1)
            #expect(next.program.errors.lines == [])
        }
    }

    @Test("outlives a run that ends during a renewal: its answer is waited for, and stored")
    func ended() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "15s",
                "--reuse",
                "strict-revoke",
                "--faults",
                "delay:refresh:seconds=4"
            )
            let first = try bench.watch(.voltyks, at: sandbox.port, "--vault", "file")
            try await first.stream.first("refreshStarted")
            first.program.send(SIGTERM)
            #expect(try await first.program.ended() == .exit(128 + SIGTERM))
            #expect(try first.stream.all("refreshSucceeded").count == 1)
            let said = "waiting up to 5 s for the new tokens of 1 session; Ctrl-C ends it at once"
            #expect(first.program.errors.text.contains(said))

            let next = try bench.watch(
                .voltyks,
                at: sandbox.port,
                "--vault",
                "file",
                credentials: [:]
            )
            let resumed = try await next.stream.first("tokensIssued")
            #expect(resumed.generation == 2)
            try await next.stream.first("refreshSucceeded", after: resumed)
            #expect(try await sandbox.report().counters(of: .voltyks)?.reuses == 0)
        }
    }

    @Test("that is deleted behind our back is over, and not written again")
    func deleted() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let watches = try await bench.pair(.voltyks, at: sandbox.port)
            let record = try bench.record
            try FileManager.default.removeItem(atPath: record)
            for watch in watches {
                #expect(try await watch.program.ended() == .exit(1))
                let end = try #require(try watch.stream.all("signedOut").first)
                #expect(end.text("reason") == "deletedExternally")
                #expect(watch.program.errors.text.contains("another program deleted"))
            }
            #expect(FileManager.default.fileExists(atPath: record) == false)
        }
    }

    @Test("that is damaged is not signed out, and a login that is needed after all says what for")
    func damaged() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let first = try bench.watch(.voltyks, at: sandbox.port, "--vault", "file")
            try await first.stream.state("fresh")
            try await first.program.interrupt()
            let record = try bench.record
            let handle = try FileHandle(forUpdating: URL(filePath: record))
            try handle.seek(toOffset: 300)
            try handle.write(contentsOf: Data([0, 0, 0, 0]))
            try handle.close()
            let bytes = FileManager.default.contents(atPath: record)

            let next = try bench.watch(
                .voltyks,
                at: sandbox.port,
                "--vault",
                "file",
                credentials: [:]
            )
            let refused = try await next.stream.state("vaultUnavailable")
            #expect(refused.text("why")?.contains("was changed, cut short or damaged") == true)
            #expect(FileManager.default.contents(atPath: record) == bytes)
            try FileManager.default.moveItem(atPath: record, toPath: bench.home + "/away")
            let failed = try await next.stream.first("loginFailed", after: refused)
            #expect(failed.text("message")?.contains("set AUTHTOP_VOLTYKS_EMAIL") == true)
            #expect(try await next.program.ended() == .exit(3))
        }
    }

    @Test("asks for credentials first where there is none")
    func nothingStored() async throws {
        try await withBench { bench in
            let watch = try bench.watch(.voltyks, at: 1, "--vault", "file", credentials: [:])
            #expect(try await watch.program.ended() == .exit(2))
            #expect(watch.program.errors.text.contains("set AUTHTOP_VOLTYKS_EMAIL"))
        }
    }

    @Test("is where the capabilities say it is; a new key is told once, with what it is good for")
    func place() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            for run in 1...2 {
                let watch = try bench.watch(.voltyks, at: sandbox.port, "--vault", "file")
                try await watch.stream.state("fresh")
                try await watch.program.interrupt()
                let place = try #require(try watch.stream.all("capabilities").first?.text("vault"))
                #expect(place.contains(try bench.record))
                #expect(watch.program.errors.lines.count == (run == 1 ? 1 : 0))
                #expect(watch.program.errors.text.contains("not against anyone who") == (run == 1))
            }
        }
    }

    @Test("is unreadable to other users, whatever the umask", arguments: ["000", "002", "077"])
    func mask(umask: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            // The sandbox has one already, made as it pleased.
            try FileManager.default.removeItem(atPath: bench.home + "/state")
            let line = "umask \(umask) && exec \"$0\" \"$@\""
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            let watch = bench.keep(
                try Program(
                    "/bin/sh",
                    [
                        "-c", line, Authtop.path, "watch", "voltyks", "--base-url", base, "--json",
                    ],
                    environment: bench.environment.merging(Guide.voltyks.credentials) { $1 }
                )
            )
            try await EventStream(watch.output).state("fresh")
            try await eventually("statistics") { try !bench.counted.isEmpty }
            try await watch.interrupt()
            for path in try bench.stored + [bench.home + "/state/authtop"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
                #expect(mode & 0o077 == 0, "\(path)")
            }
        }
    }

    @Test("has no token in any file: not as it is, not as base64, not as hexadecimal")
    func tokens() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.voltyks, at: relay.port, "--vault", "file")
            try await watch.stream.first("refreshSucceeded")
            try await eventually("statistics") { try !bench.counted.isEmpty }
            try await watch.program.interrupt()
            let tokens = TokenHarvest(relay).tokens
            #expect(tokens.count >= 4)
            let files = try bench.stored.compactMap { FileManager.default.contents(atPath: $0) }
            #expect(files.count == 6)
            for file in files {
                for token in tokens { #expect(!file.holds(token)) }
            }
            let token = try #require(tokens.first)
            #expect(Data("x\(token)".utf8).holds(token))
            #expect(Data(Data("x\(token)".utf8).base64EncodedString().utf8).holds(token))
        }
    }
}

extension Bench {
    /// Every file below the state folder.
    fileprivate var stored: [String] {
        get throws {
            let folder = home + "/state/authtop"
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .map { "\(folder)/\($0)" }
        }
    }

    /// The one record.
    fileprivate var record: String {
        get throws { try #require(try stored.first { $0.hasSuffix(".vault") }) }
    }

    /// Two who watch one session.
    fileprivate func pair(_ guide: Guide, at port: Int) async throws -> [Watch] {
        let first = try watch(guide, at: port, "--vault", "file")
        try await first.stream.state("fresh")
        let second = try watch(guide, at: port, "--vault", "file", credentials: [:])
        try await second.stream.state("fresh")
        return [first, second]
    }
}

extension Data {
    /// Whether 12 bytes of a token are in it, as they are, as base64 or as hexadecimal.
    fileprivate func holds(_ token: String) -> Bool {
        let secret = Array(token.utf8)
        let text = String(decoding: self, as: Unicode.ASCII.self).lowercased()
        return (0...(secret.count - TokenHarvest.length)).contains { start in
            let part = Data(secret[start..<(start + TokenHarvest.length)])
            let hexadecimal = part.map { String(format: "%02x", $0) }.joined()
            return range(of: part) != nil || text.contains(hexadecimal)
                || range(of: Data(part.base64EncodedString().utf8)) != nil
        }
    }
}
