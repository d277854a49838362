import Foundation
import TestSupport
import Testing

@Suite("What a run leaves behind", .programs)
struct TokenScanTests {
    static let tokens = [
        // The example of RFC 7519, and 32 random bytes.
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQog"
            + "Imh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFW"
            + "FOEjXk",
        "vN3q8Zr1-Kx0T5yWb7uLd2_mFh9Gc4sEaPjQoRiXtYk",
    ]

    @Test(
        "would be found to hold a token, in whatever form, wherever it begins in its triple",
        arguments: TokenScan.Form.allCases,
        TokenScan.Disguise.allCases
    )
    func found(form: TokenScan.Form, disguise: TokenScan.Disguise) throws {
        for token in Self.tokens {
            let scan = TokenScan([token])
            for skipped in 0..<3 {
                let content = TokenScan.written(
                    String(repeating: "x", count: skipped) + token,
                    as: form,
                    disguise
                )
                let whole = form == .raw ? TokenScan.written(token, as: form, disguise) : content
                #expect(scan.forms(in: whole).contains(form))
            }
            let others = TokenScan(Set(Self.tokens).subtracting([token]))
            #expect(others.forms(in: TokenScan.written(token, as: form, disguise)) == [])
        }
    }

    @Test("and nothing where there is none, or less than counts")
    func nothing() {
        let scan = TokenScan(Set(Self.tokens))
        #expect(scan.forms(in: "no token to see here, and nothing that looks like one") == [])
        for token in Self.tokens {
            #expect(scan.forms(in: "x\(token.suffix(TokenScan.length - 1))") == [])
            #expect(scan.forms(in: "x\(token.suffix(TokenScan.length))") == [.text])
        }
    }

    @Test(
        "holds no token in any form: state, profile, log, cache, temporary files, what is printed",
        arguments: [Guide.voltyks, .intellipost]
    )
    func nowhere(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s", "--reuse", "grace")
            let relay = try bench.relay(to: sandbox)
            let folders = ["tmp", "cache", "runtime"].map { "\(bench.home)/\($0)" }
            for folder in folders {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            let name = guide.rawValue
            try bench.write(
                """
                extends = "\(name)"
                base_url = "http://127.0.0.1:\(relay.port)/\(name)"
                policy.erase_on_logout = false

                """,
                to: "config/authtop/profiles/\(name).toml"
            )
            let variables = guide.credentials.merging([
                "TMPDIR": folders[0], "XDG_CACHE_HOME": folders[1],
            ]) { $1 }
            let log = ["--log", bench.home + "/log", "--log-level", "trace"]
            var programs: [Program] = []
            func run(_ arguments: [String]) async throws {
                let program = try bench.authtop(arguments, with: variables)
                programs.append(program)
                try await program.ended()
            }
            try await run(["login", name] + log)
            let watch = try bench.authtop(
                ["watch", name, "--json", "--every", "200ms"] + log,
                with: variables
            )
            programs.append(watch)
            let stream = EventStream(watch.output)
            let renewed = try await stream.first("refreshSucceeded")
            relay.prepare(.answerLost, for: guide.refreshPath)
            try await stream.first("refreshSucceeded", after: renewed)
            try await run(["status", name])
            try await run(["refresh", name] + log)
            try await run(["data", "export", name])
            watch.send(SIGTERM)
            try await watch.ended()
            try await relay.refuse()
            try await run(["logout", name] + log)
            try await run(["status", name, "--json"])

            let tokens = TokenHarvest(relay).tokens
            #expect(tokens.count >= 6)
            let scan = TokenScan(tokens)
            for program in programs + [sandbox.program] {
                #expect(scan.forms(in: program.output.text) == [])
                #expect(scan.forms(in: program.errors.text) == [])
            }
            let files = try bench.files
            for part in ["/log", ".vault", ".statistics", ".logs", ".toml"] {
                #expect(files.contains { $0.hasSuffix(part) }, "\(part)")
            }
            for file in files {
                let content = try #require(FileManager.default.contents(atPath: file))
                #expect(scan.forms(in: content) == [], "\(file)")
            }
            // The same look finds one that is there.
            try bench.write("x\(try #require(tokens.first))", to: "cache/leak")
            let leaks = try bench.files.filter { file in
                FileManager.default.contents(atPath: file).map { scan.forms(in: $0) != [] } ?? false
            }
            #expect(leaks == [folders[1] + "/leak"])
        }
    }
}
