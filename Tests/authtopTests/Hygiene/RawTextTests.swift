import Basics
import Foundation
import TestSupport
import Testing

@Suite("Text that steers a terminal", .programs)
struct RawTextTests {
    /// An escape sequence, a title, a turn of direction, a C1 control, and invisible characters.
    static let hostile = "\u{1B}[31m\u{1B}]0;pwned\u{7}\u{202E}x\u{9B}2J\u{200B}\u{2028}\u{FEFF}"

    /// As TOML writes it.
    static let escaped =
        #"\u001B[31m\u001B]0;pwned\u0007\u202Ex\u009B2J\u200B\u2028\uFEFF"#

    private static func isRaw(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.isUnseen && $0 != "\n" && $0 != "\t" }
    }

    @Test("in a profile's title, name or path does not reach it")
    func profiles() async throws {
        try await withBench { bench in
            let name = "p\u{1B}[31m\u{202E}\nq"
            let path = try bench.write(
                """
                extends = "oauth2"
                title = "\(Self.escaped)"
                base_url = "http://127.0.0.1:1"
                [login]
                headers = { X-Name = "\(Self.escaped)" }
                """,
                to: "config/authtop/profiles/\(name).toml"
            )
            try bench.write(
                "extends = \"\(Self.escaped)\"",
                to: "config/authtop/profiles/wrong.toml"
            )
            try bench.write(
                "extends = \"oauth2\"\ntitle = \"\(Self.escaped)\"",
                to: "config/authtop/profiles/titled.toml"
            )
            try bench.write(
                "\"\(Self.escaped)\" = 1",
                to: "config/authtop/profiles/key.toml"
            )
            for arguments in [
                ["profiles", "list"], ["profiles", "show", path], ["profiles", "validate", path],
                ["profiles", "validate", "wrong"], ["profiles", "validate", "key"],
                ["profiles", "show", Self.hostile], ["profiles", "init", Self.hostile],
                ["watch", path, "--json"], ["status", path], ["data", "export", path],
                [Self.hostile, "--\(Self.hostile)"],
                ["login", "oauth2", "--base-url", Self.hostile],
                ["status", "oauth2", "--vault", Self.hostile],
                ["inspect", "--jwks", Self.hostile], ["sandbox", "--fault", Self.hostile],
                ["data", "forget", path, "--yes"],
                ["login", path, "--credentials", "/\(Self.hostile)"],
                ["login", path, "--log", "/\(Self.hostile)/log"],
            ] {
                let program = try bench.authtop(arguments)
                try await program.ended()
                let lines = program.output.lines + program.errors.lines
                #expect(lines.filter(Self.isRaw) == [], "\(arguments)")
            }
            let list = try bench.authtop(["profiles", "list"])
            try await list.ended()
            // One row for each, whatever its name holds.
            #expect(list.output.lines.count == 30)
            #expect(list.output.text.contains("p␛[31m�␊q"))
            #expect(list.output.text.contains("␛]0;pwned␇"))
        }
    }

    @Test("in a title is the same again where show has printed it")
    func shownProfile() async throws {
        try await withBench { bench in
            let path = try bench.write(
                "extends = \"oauth2\"\ntitle = \"\(Self.escaped)\"",
                to: "config/authtop/profiles/mine.toml"
            )
            let first = try bench.authtop(["profiles", "show", "mine"])
            #expect(try await first.ended() == .exit(0))
            #expect(first.output.text.contains("title = \"\(Self.escaped)\""))
            #expect(path.hasSuffix("mine.toml"))
        }
    }

    @Test("in a token's claims is escaped in JSON and visible in words")
    func claims() async throws {
        try await withBench { bench in
            let claims = JSONValue.object(["sub": .string(Self.hostile), Self.hostile: "x"])
            let token = MadeToken(claims.serialized)
            let json = try bench.authtop(["inspect", "--json"], reading: token.text)
            #expect(try await json.ended() == .exit(0))
            #expect(!Self.isRaw(json.output.text))
            #expect(json.output.text.contains(#"\u202ex\u009b2J\u200b\u2028\ufeff"#))
            let object = try JSON.object(in: json.output.text)
            #expect(object["claims"].flatMap { $0["sub"] }?.text == Self.hostile)
            let message = try bench.authtop(["inspect"], reading: token.text)
            #expect(try await message.ended() == .exit(0))
            #expect(!Self.isRaw(message.output.text))
        }
    }

    @Test("of a server is in no event, log, status or export")
    func events() async throws {
        try await withBench { bench in
            let name = JSONValue.string(Self.hostile).serialized
            let server = bench.keep(
                try LoopbackServer { request in
                    switch request.path {
                    case "/oauth2/token":
                        ShapeAnswer(
                            200,
                            #"{"access_token":"access","refresh_token":"r","expires_in":900,"#
                                + #""name":\#(name),"id":\#(name)}"#
                        ).text
                    default: ShapeAnswer(401, #"{"error":\#(name)}"#).text
                    }
                }
            )
            try bench.write(
                """
                extends = "oauth2"
                base_url = "http://127.0.0.1:\(server.port)/oauth2"
                client_auth = "none"
                [login.response]
                subject = "id"
                display_name = "name"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let variables = ["AUTHTOP_MINE_USERNAME": "u", "AUTHTOP_MINE_PASSWORD": "hunter2"]
            let log = ["--log", bench.home + "/log", "--log-level", "trace"]
            for arguments in [
                ["login", "mine", "--json"] + log, ["status", "mine"],
                ["status", "mine", "--json"],
                ["data", "export", "mine"], ["refresh", "mine"] + log, ["logout", "mine"] + log,
            ] {
                let program = try bench.authtop(arguments, with: variables)
                try await program.ended()
                let lines = program.output.lines + program.errors.lines
                #expect(!lines.isEmpty)
                #expect(lines.filter(Self.isRaw) == [], "\(arguments)")
            }
            let data = try #require(FileManager.default.contents(atPath: bench.home + "/log"))
            #expect(!Self.isRaw(String(decoding: data, as: UTF8.self)))
        }
    }
}
