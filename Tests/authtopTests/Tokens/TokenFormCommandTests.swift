import Foundation
import TestSupport
import Testing

@Suite("authtop token --format", .programs)
struct TokenFormCommandTests {
    private static let gitPath = "/usr/bin/git"

    /// A server whose answers bring what a test says beside the tokens, and a profile for it.
    private struct Provider {
        let bench: Bench
        let server: LoopbackServer
        let profile: String

        /// - Parameters:
        ///   - members: More members of its answers, as JSON.
        ///   - lines: More lines of the profile.
        ///   - bench: The bench.
        /// - Throws: If there is no port, or no login.
        init(members: String, lines: String = "", on bench: Bench) async throws {
            self.bench = bench
            server = bench.keep(
                try LoopbackServer { request in
                    guard request.path == "/token" else { return Answers.json(404, "{}") }
                    let answer =
                        #"{"access_token": "a-1", "token_type": "Bearer", "expires_in": 600, "#
                        + #""refresh_token": "r-1"\#(members)}"#
                    return Answers.json(200, answer)
                }
            )
            profile = try bench.write(
                """
                extends = "oauth2"
                base_url = "http://127.0.0.1:\(server.port)"
                client_auth = "none"
                \(lines)
                """,
                to: "mine.toml"
            )
            let login = try bench.authtop(
                ["login", profile],
                with: ["AUTHTOP_MINE_USERNAME": "ada", "AUTHTOP_MINE_PASSWORD": "s3cr3t"]
            )
            try #require(try await login.ended() == .exit(0), "\(login.errors.text)")
        }

        func token(
            _ arguments: String...,
            with variables: [String: String] = [:]
        ) async throws -> Program {
            let program = try bench.authtop(["token", profile] + arguments, with: variables)
            try await program.ended()
            return program
        }
    }

    @Test("has the token and its end, whichever program asks")
    func forms() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            func token(_ form: String) async throws -> Program {
                try await bench.operation("token", .voltyks, at: sandbox.port, "--format", form)
            }
            let plain = try await token("plain").output.text
            #expect(try await token("header").output.text == "Authorization: Bearer \(plain)")
            let json = try JSON.object(in: await token("json").output.text)
            #expect(json["access_token"]?.text == plain)
            #expect(json["token_type"]?.text == "Bearer")
            let left = try #require(json["expires_at"]?.number) - Date().timeIntervalSince1970
            #expect(left > 0 && left <= 600)
            let credential = try JSON.object(in: await token("exec-credential").output.text)
            #expect(JSON.object(credential)["status.token"]?.text == plain)
            let end = try #require(JSON.object(credential)["status.expirationTimestamp"]?.text)
            let date = try Date(end, strategy: .iso8601)
            #expect(date.timeIntervalSince1970 == json["expires_at"]?.number)
        }
    }

    @Test("of a program that asks for what there is not is a mistake, before anything is sent")
    func mistakes() async throws {
        try await withBench { bench in
            for (arguments, message) in [
                (["--format", "yaml"], "--format"), (["--format", "aws"], "aws_access_key_id"),
                (["--format", "git"], "expected get, store or erase"),
                (["get"], "for --format git only"),
                (["--format", "json", "--header"], "exclude each other"),
                (["--format", "git", "--watch", "x", "get"], "answers git"),
            ] {
                let program = try bench.authtop(
                    ["token", "voltyks", "--base-url", "http://127.0.0.1:1/voltyks"] + arguments
                )
                #expect(try await program.ended() == .exit(2))
                #expect(program.errors.text.contains(message), "\(program.errors.text)")
                #expect(program.output.lines == [])
            }
        }
    }

    @Test("has the ID token of the login, if it brought one")
    func idToken() async throws {
        try await withBench { bench in
            let made = MadeToken(endsIn: 600).text
            let members = #", "id_token": "\#(made)""#
            let provider = try await Provider(members: members, on: bench)
            let plain = try await provider.token("--id-token")
            #expect(plain.output.lines == [made], "\(plain.errors.text)")
            let google = try await provider.token("--id-token", "--format", "gcloud")
            let json = try JSON.object(in: google.output.text)
            #expect(json["id_token"]?.text == made)
            #expect(google.errors.lines == [])
            let opaque = try await provider.token("--format", "gcloud")
            // Google's libraries read what a program says only if it exits with 0.
            #expect(opaque.ending == .exit(0))
            let failure = try JSON.object(in: opaque.output.text)
            #expect(failure["success"] == .flag(false))
            #expect(failure["message"]?.text?.contains("no JSON Web Token") == true)
            // They read standard error as a part of it.
            #expect(opaque.errors.lines == [])
            // It is stored as the tokens are.
            for file in try bench.files where !file.hasSuffix(".toml") {
                let data = FileManager.default.contents(atPath: file) ?? Data()
                #expect(!String(decoding: data, as: UTF8.self).contains(made.suffix(12)))
            }
        }
    }

    @Test("renews for an ID token that ends before the access token")
    func endedIDToken() async throws {
        try await withBench { bench in
            let members = #", "id_token": "\#(MadeToken(endsIn: -5).text)""#
            let provider = try await Provider(members: members, on: bench)
            let ended = try await provider.token("--id-token")
            #expect(ended.ending == .exit(1))
            #expect(ended.output.lines == [])
            #expect(ended.errors.text.contains("a renewal brought no other one"))
        }
    }

    @Test("without an ID token says what the login needs")
    func noIDToken() async throws {
        try await withBench { bench in
            let provider = try await Provider(members: "", on: bench)
            let none = try await provider.token("--id-token")
            #expect(none.ending == .exit(1))
            #expect(none.errors.text.contains("the scope openid"))
        }
    }

    @Test("aws has the values that the profile captures")
    func aws() async throws {
        try await withBench { bench in
            let members =
                #", "Credentials": {"AccessKeyId": "ASIA1", "SecretAccessKey": "s-1", "#
                + #""SessionToken": "t-1"}"#
            let lines = """
                [capture]
                aws_access_key_id = "json:Credentials.AccessKeyId"
                aws_secret_access_key = "json:Credentials.SecretAccessKey"
                aws_session_token = "json:Credentials.SessionToken"
                """
            let provider = try await Provider(members: members, lines: lines, on: bench)
            let validated = try bench.authtop(["profiles", "validate", provider.profile])
            #expect(try await validated.ended() == .exit(0))
            #expect(!validated.errors.text.contains("captured, and never sent"))
            let aws = try await provider.token("--format", "aws")
            let json = try JSON.object(in: aws.output.text)
            #expect(json["Version"] == .number(1))
            #expect(json["AccessKeyId"]?.text == "ASIA1")
            #expect(json["SecretAccessKey"]?.text == "s-1")
            #expect(json["SessionToken"]?.text == "t-1")
            #expect(json["Expiration"]?.text?.hasSuffix("Z") == true)
        }
    }

    @Test(
        "git takes it for the profile's own host, and nothing for another",
        .enabled(if: FileManager.default.isExecutableFile(atPath: gitPath))
    )
    func git() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            let helper = "!\(Authtop.path) token voltyks --base-url \(base) --format git"
            func ask(_ operation: String, _ host: String, _ more: String = "") throws -> Program {
                let input = try bench.write(
                    "protocol=http\nhost=\(host)\n\(more)\n",
                    to: "request"
                )
                let line = #"exec "$0" -c credential.helper="$1" credential \#(operation) <"$2""#
                return bench.keep(
                    try Program(
                        "/bin/sh",
                        ["-c", line, Self.gitPath, helper, input],
                        environment: bench.environment.merging([
                            "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1",
                        ]) { $1 }
                    )
                )
            }
            let filled = try ask("fill", "127.0.0.1:\(sandbox.port)")
            #expect(try await filled.ended() == .exit(0), "\(filled.errors.text)")
            let token = try await bench.operation("token", .voltyks, at: sandbox.port).output.text
            #expect(filled.output.lines.contains("password=\(token)"))
            #expect(filled.output.lines.contains("username=oauth2"))
            let other = try ask("fill", "evil.example")
            #expect(try await other.ended() != .exit(0))
            #expect(!other.output.text.contains(token))
            for operation in ["approve", "reject"] {
                let more = "username=oauth2\npassword=\(token)\n"
                let done = try ask(operation, "127.0.0.1:\(sandbox.port)", more)
                #expect(try await done.ended() == .exit(0))
                #expect(done.errors.lines == [])
            }
            let again = try await bench.operation("token", .voltyks, at: sandbox.port)
            #expect(again.output.text == token)
        }
    }
}
