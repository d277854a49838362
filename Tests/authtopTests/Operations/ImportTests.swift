import Foundation
import TestSupport
import Testing

@Suite("A pair that is brought", .programs)
struct ImportTests {
    enum Shape: CaseIterable {
        case answer
        case usualNames
        case lines

        /// As the sandbox's answer to a login, or as a user would write its tokens down.
        func text(_ pair: (access: String, refresh: String), _ answer: String) -> String {
            switch self {
            case .answer: answer
            case .usualNames:
                #"{"session": {"accessToken": "Bearer \#(pair.access)", "refresh": "\#(pair.refresh)"}}"#
            case .lines: "Bearer \(pair.access)\n\"\(pair.refresh)\"\n"
            }
        }
    }

    @Test("goes on where it is, without a login, and rotates", arguments: Shape.allCases)
    func goesOn(shape: Shape) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "8s")
            let answer = try await bench.answer(from: sandbox)
            let logins = try await sandbox.report().counters(of: .intellipost)?.logins
            let pair = try Self.pair(in: answer)
            let program = try bench.watch(
                reading: shape.text(pair, answer),
                at: sandbox.port,
                "--for",
                "60s"
            )
            let stream = EventStream(program.output)
            let first = try await stream.first("tokensIssued")
            #expect(first.text("origin") == "imported")
            #expect(first.text("accessSource") == "JWT exp")
            let renewed = try await stream.first("refreshSucceeded", after: first)
            try await stream.first("refreshSucceeded", after: renewed)
            #expect(try await sandbox.report().counters(of: .intellipost)?.logins == logins)
            for text in [pair.access, pair.refresh] {
                #expect(program.output.text.contains(text) == false)
                #expect(program.errors.text.contains(text) == false)
                #expect(program.commandLine.contains(text) == false)
            }
        }
    }

    @Test("whose tokens are both dead says which, since when and by what, and sends nothing")
    func dead() async throws {
        try await withBench { bench in
            let access = MadeToken(endsIn: -10_920).text
            let refresh = MadeToken(endsIn: -3_700).text
            let program = try bench.watch(reading: "\(access)\n\(refresh)\n", at: 1)
            #expect(try await program.ended() == .exit(1))
            let message = program.errors.text
            let pattern =
                /refresh token ‹\w{8}› expired 1 h 01 m ago, at .* \(JWT exp\); access token ‹\w{8}› expired 3 h 02 m ago/
            #expect(message.contains(pattern), "\(message)")
            #expect(!message.contains(access) && !message.contains(refresh))
        }
    }

    @Test("whose access token alone is dead is renewed at once")
    func deadAccess() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "1m")
            let pair = try Self.pair(in: try await bench.answer(from: sandbox))
            let dead = MadeToken(endsIn: -60, subject: try Self.subject(of: pair.access)).text
            let program = try bench.watch(reading: "\(dead)\n\(pair.refresh)", at: sandbox.port)
            let stream = EventStream(program.output)
            let renewed = try await stream.first("refreshSucceeded")
            #expect(try stream.events.contains { $0.enters("blocked") && $0.index < renewed.index })
        }
    }

    @Test("is refused in a file that others can read, and where a session is stored")
    func refused() async throws {
        try await withBench { bench in
            let path = try bench.write("a\nb\n", to: "pair")
            let open = try bench.watch(reading: "", at: 1, "--import", path)
            #expect(try await open.ended() == .exit(2))
            #expect(open.errors.text.contains("chmod 600 \(path)"))
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.intellipost, at: sandbox.port)
            let stored = try bench.watch(reading: "a\nb\n", at: sandbox.port)
            #expect(try await stored.ended() == .exit(2))
            #expect(stored.errors.text.contains("log out first, or --vault memory"))
        }
    }

    @Test("that is none is told without a part of it", arguments: ["", "{}", "[1]", "a b c\nd\ne"])
    func unusable(text: String) async throws {
        try await withBench { bench in
            let program = try bench.watch(reading: text, at: 1)
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.lines.count == 1)
            #expect(program.errors.text.contains("--import -: "))
        }
    }

    private static func subject(of token: String) throws -> String {
        let payload = token.split(separator: ".")[1].replacing("-", with: "+")
            .replacing("_", with: "/")
        let padded = payload + String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let data = try #require(Data(base64Encoded: String(padded)))
        let claims = try JSON.object(in: String(decoding: data, as: UTF8.self))
        return try #require(claims["sub"]?.text)
    }

    private static func pair(in answer: String) throws -> (access: String, refresh: String) {
        let members = try JSON.object(in: answer)
        let access = try #require(members["access_token"]?.text)
        return (access, try #require(members["refresh_token"]?.text))
    }
}

extension Bench {
    /// A login's answer, as an app would log it.
    fileprivate func answer(from sandbox: Sandbox) async throws -> String {
        try await HandMadeRequest(
            method: "POST",
            target: "/intellipost" + Guide.intellipost.loginPath,
            headers: ["Content-Type": "application/json"],
            body: #"{"email": "user@example.com", "password": "password"}"#
        ).send(to: sandbox.port).body
    }

    fileprivate func watch(reading text: String, at port: Int, _ more: String...) throws -> Program
    {
        let place = more.contains("--import") ? [] : ["--import", "-"]
        return try authtop(
            [
                "watch", "intellipost", "--base-url", "http://127.0.0.1:\(port)/intellipost",
                "--json",
            ] + place + more,
            reading: text
        )
    }
}
