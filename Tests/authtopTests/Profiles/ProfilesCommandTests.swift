import FoundationEssentials
import TestSupport
import Testing

@Suite("The profiles command", .programs)
struct ProfilesCommandTests {
    @Test("init writes an example once, for its owner alone, that is sound as it is")
    func example() async throws {
        try await withBench { bench in
            let path = bench.home + "/config/authtop/profiles/mine.toml"
            let first = try bench.authtop(["profiles", "init"])
            #expect(try await first.ended() == .exit(0))
            #expect(first.output.lines.first == path)
            #expect(first.output.lines.contains("  authtop watch mine"))
            #expect(try Self.mode(of: path) == 0o600)
            let folder = bench.home + "/config/authtop/profiles"
            #expect(try Self.mode(of: folder) == 0o700)

            let text = try #require(FileManager.default.contents(atPath: path))
            let second = try bench.authtop(["profiles", "init", "mine"])
            #expect(try await second.ended() == .exit(2))
            #expect(second.errors.lines.count == 1)
            #expect(second.errors.text.contains("\(path): already exists"))
            #expect(FileManager.default.contents(atPath: path) == text)

            let check = try bench.authtop(["profiles", "validate", path])
            #expect(try await check.ended() == .exit(0))
            #expect(
                check.output.lines == [
                    "\(path): mine speaks oauth2 at http://127.0.0.1:8787/oauth2; credentials "
                        + "username, password, client_id, client_secret; renews by refresh token; "
                        + "log out this"
                ]
            )
        }
    }

    @Test("init says what the sandbox takes, and the example logs in there with it")
    func credentials() async throws {
        try await withBench { bench in
            let made = try bench.authtop(["profiles", "init"])
            #expect(try await made.ended() == .exit(0))
            let pairs = made.output.lines.compactMap { line -> (String, String)? in
                guard line.hasPrefix("  AUTHTOP_"), let sign = line.firstIndex(of: "=") else {
                    return nil
                }
                return (String(line[..<sign].dropFirst(2)), String(line[sign...].dropFirst()))
            }
            #expect(pairs.count == 4)
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let login = try bench.authtop(
                [
                    "login", "mine", "--base-url", "http://127.0.0.1:\(sandbox.port)/oauth2",
                    "--vault", "file",
                ],
                with: Dictionary(uniqueKeysWithValues: pairs)
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
        }
    }

    @Test("every line of the example that is a remark can be made one that counts")
    func remarks() async throws {
        try await withBench { bench in
            let made = try bench.authtop(["profiles", "init", "all"])
            #expect(try await made.ended() == .exit(0))
            let path = bench.home + "/config/authtop/profiles/all.toml"
            let data = try #require(FileManager.default.contents(atPath: path))
            let lines = String(decoding: data, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let used = lines.map { line in
                let isKey = line.hasPrefix("# [") || line.dropFirst(2).contains(" = ")
                return isKey && line.hasPrefix("# ") ? line.dropFirst(2) : line
            }
            // At the top of the file, before its first table; nothing is to be left out here.
            let tops = ["rotation", "vault", "retention"]
            let top = used.filter { line in tops.contains { line.hasPrefix("\($0) = ") } }
            let rest = used.filter { !top.contains($0) && !$0.hasPrefix("disable = ") }
            let text = (top + rest).joined(separator: "\n")
            try bench.write(text, to: "all.toml")
            let check = try bench.authtop(["profiles", "validate", bench.home + "/all.toml"])
            let ending = try await check.ended()
            #expect(ending == .exit(0), "\(check.errors.text)")
            #expect(check.output.text.contains("feed"))
        }
    }

    @Test("names to recognize are checked, and a mistake in them ends what needs them")
    func recognition() async throws {
        try await withBench { bench in
            let name = "config/authtop/recognition.toml"
            let path = try bench.write("[headers]\naccess = \"Gate-Key\"", to: name)
            let good = try bench.authtop(["profiles", "validate", path])
            #expect(try await good.ended() == .exit(0))
            #expect(good.output.lines == ["\(path): valid, adds 1 entry"])

            try bench.write("[headers]\nacces = \"x\"", to: name)
            let archive = try bench.write("{\"log\": {\"entries\": []}}", to: "empty.har")
            let commands = [
                ["profiles", "validate", path], ["profiles", "validate", "voltyks"],
                ["replay", archive, "--findings"],
            ]
            for arguments in commands {
                let program = try bench.authtop(arguments)
                #expect(try await program.ended() == .exit(2))
                let expected =
                    "\(path):2: headers.acces: unknown key \"acces\", the nearest known one is access"
                #expect(program.errors.text.contains(expected), "\(program.errors.text)")
            }
        }
    }

    @Test("no name leads out of the folder", arguments: ["../mine", "a/b", "Mine", "", ".hidden"])
    func names(name: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["profiles", "init", name])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.lines.count == 1)
            #expect(!FileManager.default.fileExists(atPath: bench.home + "/config"))
        }
    }

    @Test(
        "validate refuses what watch refuses",
        arguments: [
            (#"base_url = "http://api.example.com""#, "api.example.com"),
            (
                "base_url = \"http://127.0.0.1:9\"\nclient_assertion.key = \"/none.pem\"\n"
                    + "client_auth = \"private_key_jwt\"\ngrant = \"client_credentials\"",
                "/none.pem"
            ),
            (
                "base_url = \"https://127.0.0.1:9\"\nclient_certificate = \"/none.pem\"",
                "/none.pem"
            ),
        ]
    )
    func refusesAsWatch(text: String, message: String) async throws {
        try await withBench { bench in
            let path = try bench.write("extends = \"oauth2\"\n\(text)\n", to: "mine.toml")
            for command in [["watch", path, "--json"], ["profiles", "validate", path]] {
                let program = try bench.authtop(command)
                #expect(try await program.ended() == .exit(2), "\(command)")
                #expect(program.errors.text.contains(message), "\(program.errors.text)")
            }
        }
    }

    @Test("a name that is near to none is answered without a guess")
    func noGuess() async throws {
        try await withBench { bench in
            let watch = try bench.authtop(["status", "zzzzzz"])
            #expect(try await watch.ended() == .exit(2))
            #expect(watch.errors.text.contains("there is no profile \"zzzzzz\""))
            #expect(!watch.errors.text.contains("did you mean"))
        }
    }

    @Test("validate tells the mistake with its line, and nothing else")
    func invalid() async throws {
        try await withBench { bench in
            let path = try bench.write("extends = \"oauth\"\n", to: "wrong.toml")
            let check = try bench.authtop(["profiles", "validate", path])
            #expect(try await check.ended() == .exit(2))
            #expect(check.output.lines == [])
            #expect(
                check.errors.lines == [
                    "authtop: \(path):1: extends: there is no \"oauth\", "
                        + "the nearest known one is oauth2"
                ]
            )
            let other = try bench.write(
                "extends = \"oauth2\"\nbase_url = \"http://a:b\"\n",
                to: "port.toml"
            )
            let second = try bench.authtop(["profiles", "validate", other])
            #expect(try await second.ended() == .exit(2))
            #expect(second.errors.text.contains("\(other): base_url: b is not a port"))
        }
    }

    @Test("show prints the whole without what may be a secret, and it can be watched")
    func shown() async throws {
        try await withBench { bench in
            try bench.write(
                """
                extends = "voltyks"
                [login]
                headers = { X-Api-Key = "abc123def456" }
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let show = try bench.authtop(["profiles", "show", "mine"])
            #expect(try await show.ended() == .exit(0))
            #expect(!show.output.text.contains("abc123def456"))
            #expect(show.output.text.contains("token_in = \"bearer\""))
            let text = show.output.text.replacing("‹hidden›", with: "none")
            let copy = try bench.write(text, to: "copy.toml")
            let sandbox = try await bench.sandbox()
            let watch = try bench.authtop(
                [
                    "watch", copy, "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks",
                    "--json",
                ],
                with: [
                    "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
                ]
            )
            let stream = EventStream(watch.output)
            try await stream.state("fresh")
            try await watch.interrupt()
            #expect(try stream.all("tokensIssued").count == 1)
        }
    }

    @Test("list tells where one's own are, and which of them cannot be used")
    func listed() async throws {
        try await withBench { bench in
            let good = try bench.write(
                "extends = \"oauth2\"\ntitle = \"Staging\"",
                to: "config/authtop/profiles/good.toml"
            )
            let bad = try bench.write("extends = 5", to: "config/authtop/profiles/bad.toml")
            let list = try bench.authtop(["profiles"])
            #expect(try await list.ended() == .exit(0))
            #expect(list.output.lines.contains("good         Staging  \(good)"))
            #expect(
                list.output.lines.contains { $0.hasPrefix("bad          unusable: \(bad):1: ") }
            )
            #expect(list.output.lines.contains { $0.hasPrefix("oauth2 ") && !$0.contains("/") })
        }
    }

    @Test("a profile that is not there is told with the nearest that is")
    func nearest() async throws {
        try await withBench { bench in
            try bench.write("extends = \"oauth2\"", to: "config/authtop/profiles/staging.toml")
            let watch = try bench.authtop(["watch", "stagin"])
            #expect(try await watch.ended() == .exit(2))
            #expect(watch.errors.lines.count == 1)
            #expect(watch.errors.text.contains("did you mean staging?"))
        }
    }

    private static func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }
}
