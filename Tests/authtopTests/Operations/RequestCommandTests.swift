import Foundation
import TestSupport
import Testing

@Suite("authtop request", .programs)
struct RequestCommandTests {
    private static func request(
        _ bench: Bench,
        _ guide: Guide,
        at port: Int,
        _ arguments: String...,
        reading body: String? = nil
    ) async throws -> Program {
        let base = "http://127.0.0.1:\(port)/\(guide.rawValue)"
        let arguments = ["request", guide.rawValue] + arguments + ["--base-url", base]
        let program =
            try body.map { try bench.authtop(arguments + ["--body", "-"], reading: $0) }
            ?? bench.authtop(arguments)
        try await program.ended()
        return program
    }

    @Test("sends the stored session's token, and prints the body, and on stderr the status")
    func sends() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.bitbasel, at: relay.port)
            let get = try await Self.request(
                bench,
                .bitbasel,
                at: relay.port,
                "get",
                "/posts/feed?page=2"
            )
            #expect(get.ending == .exit(0), "\(get.errors.text)")
            let message =
                /^authtop: bitbasel: GET \/posts\/feed\?page=2 answered 200 in [0-9.]+ m?s$/
            #expect(get.errors.lines.last?.contains(message) == true, "\(get.errors.text)")
            #expect(try JSON.object(in: get.output.text)["posts"] != nil, "\(get.output.text)")
            let sent = try #require(relay.requests(to: "/posts/feed").last)
            #expect(sent.values(of: "authorization").first?.hasPrefix("Bearer ") == true)
            let post = try await Self.request(
                bench,
                .bitbasel,
                at: relay.port,
                "POST",
                "/posts/feed",
                reading: "{\"n\": 1}"
            )
            #expect(post.ending == .exit(1))
            let written = try #require(relay.requests(to: "/posts/feed").last)
            #expect(written.method == "POST" && written.body == "{\"n\": 1}")
            #expect(written.values(of: "content-type") == ["application/json"])
            let odd = try await Self.request(
                bench,
                .bitbasel,
                at: relay.port,
                "PUT",
                "/posts/feed",
                reading: "{"
            )
            #expect(odd.errors.text.contains("--body is not JSON, but is sent as JSON"))
            #expect(relay.requests(to: "/posts/feed").last?.body == "{")
        }
    }

    @Test("prints no secret of a response that has a name, be it short, nested or a number")
    func secrets() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.bitbasel, at: relay.port)
            let body = #"""
                {"id": 658639, "name": "milk", "otp": 658638, "sid": "KSEXV7rq",
                 "token": {"value": "ArwyXEV", "type": "bearer"}, "tokens": ["qNM6"],
                 "inner": "{\"password\": \"hunter2\"}"}
                """#
            relay.prepare(.answered(Answers.json(200, body)), for: "/posts/feed")
            let run = try await Self.request(
                bench,
                .bitbasel,
                at: relay.port,
                "GET",
                "/posts/feed"
            )
            #expect(run.ending == .exit(0), "\(run.errors.text)")
            #expect(run.output.text.contains(#"{"id": 658639, "name": "milk", "otp": "#))
            for secret in ["658638", "KSEXV7rq", "ArwyXEV", "qNM6", "hunter2"] {
                #expect(!run.output.text.contains(secret), "\(run.output.text)")
            }
            #expect(run.output.lines.count == 3)
        }
    }

    @Test("a 401 renews, and the request is sent once more")
    func renews() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.voltyks, at: relay.port)
            relay.prepare(.answered(Answers.unauthorized), for: "/api/chargers")
            let get = try await Self.request(
                bench,
                .voltyks,
                at: relay.port,
                "GET",
                "/api/chargers"
            )
            #expect(get.ending == .exit(0), "\(get.errors.text)")
            #expect(relay.requests(to: "/api/chargers").count == 2)
            #expect(relay.requests(to: "/RefreshToken").count == 1)
        }
    }

    @Test(
        "in the answer tokens are replaced, controls are visible, and what is too much is left out"
    )
    func harmless() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.voltyks, at: relay.port)
            let tokens = TokenHarvest(relay).tokens
            let issued = relay.answers.compactMap { answer in
                answer["data.accessToken"]?.text ?? answer["data.token"]?.text
            }
            let token = try #require(issued.first)
            let body =
                "\u{1B}]0;gone\u{07} echo \(token) 日本\nnext\n"
                + String(repeating: "word ", count: 20_000) + String(repeating: "x", count: 900)
            relay.prepare(.answered(Answers.html(200, body)), for: "/echo")
            let get = try await Self.request(bench, .voltyks, at: relay.port, "GET", "/echo")
            #expect(get.ending == .exit(0), "\(get.errors.text)")
            #expect(TokenScan(tokens).forms(in: Data(get.output.text.utf8)) == [])
            #expect(!get.output.text.contains("\u{1B}") && get.output.text.contains("␛]0;gone␇"))
            #expect(get.output.text.contains("日本") && get.output.text.contains("‹"))
            #expect(get.output.lines[1] == "next")
            #expect(get.output.lines.last?.contains("more bytes)") == true)
            #expect(get.output.text.utf8.count < 70_000)
        }
    }

    @Test(
        "what leaves the backend is bad input, and nothing is sent",
        arguments: ["https://evil.example/", "//evil.example/", "users", "/a b"]
    )
    func refused(path: String) async throws {
        try await withBench { bench in
            let program = try await Self.request(bench, .voltyks, at: 1, "GET", path)
            #expect(program.ending == .exit(2))
            #expect(program.errors.text.contains("the path must"), "\(program.errors.text)")
        }
    }

    @Test("says that the session has ended with the answer, and in whose words")
    func ended() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "10m",
                "--faults",
                "early-revocation:once:login"
            )
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let request = try await Self.request(
                bench,
                .voltyks,
                at: sandbox.port,
                "GET",
                "/api/chargers"
            )
            #expect(request.ending == .exit(1))
            let message =
                /answered 401 in [0-9.]+ m?s; signed out: .*: "RefreshTokenMismatch"; run: authtop login voltyks --base-url http:.*$/
            #expect(request.errors.lines.last?.contains(message) == true, "\(request.errors.text)")
        }
    }

    @Test("1 where the session is signed out, 3 where no backend answers, and the session is kept")
    func codes() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            let none = try await Self.request(bench, .voltyks, at: relay.port, "GET", "/")
            #expect(none.ending == .exit(1))
            #expect(none.errors.text.contains("run: authtop login voltyks"))
            _ = try await bench.logIn(.voltyks, at: relay.port)
            try await relay.refuse()
            let lost = try await Self.request(
                bench,
                .voltyks,
                at: relay.port,
                "GET",
                "/api/chargers"
            )
            #expect(lost.ending == .exit(3), "\(lost.errors.text)")
            let status = try await bench.operation("status", .voltyks, at: relay.port)
            #expect(status.ending == .exit(0))
        }
    }
}
