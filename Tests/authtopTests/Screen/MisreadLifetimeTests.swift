import Synchronization
import TestSupport
import Testing

/// A lifetime that is stated in a way that the profile does not expect is named, in place of a wrong
/// cause.
@Suite("The screen: lifetimes that are misread", .programs)
struct MisreadLifetimeTests {
    /// A token endpoint whose tokens are accepted for some seconds, whatever it states.
    private final class Endpoint: Sendable {
        private let ends = Mutex<[String: ContinuousClock.Instant]>([:])
        private let statement: String
        private let life: Duration

        init(stating statement: String, life: Duration) {
            self.statement = statement
            self.life = life
        }

        func answer(to request: HTTPMessage) -> String {
            let now = ContinuousClock.now
            return ends.withLock { ends in
                guard request.path == "/token" else {
                    let token = request.values(of: "authorization").first?.dropFirst(7) ?? ""
                    let isGood = ends[String(token)].map { $0 > now } ?? false
                    return isGood
                        ? Answers.json(200, #"{"sub": "1"}"#)
                        : Answers.json(401, #"{"error": "invalid_token"}"#)
                }
                let token = "access-\(ends.count)"
                ends[token] = now + life
                return Answers.json(
                    200,
                    #"{"access_token": "\#(token)", "token_type": "Bearer", "#
                        + #""refresh_token": "refresh-\#(ends.count)"\#(statement)}"#
                )
            }
        }
    }

    private static func terminal(
        _ bench: Bench,
        stating statement: String,
        unit: String = "seconds",
        life: Duration = .seconds(600),
        _ arguments: String
    ) async throws -> Terminal {
        let endpoint = Endpoint(stating: statement, life: life)
        let server = bench.keep(try LoopbackServer { endpoint.answer(to: $0) })
        try bench.write(
            """
            extends = "oauth2"
            base_url = "http://127.0.0.1:\(server.port)"
            client_auth = "none"
            login.response.access_expires = "\(unit):expires_in"
            refresh.response.access_expires = "\(unit):expires_in"
            """,
            to: "config/authtop/profiles/mine.toml"
        )
        let terminal = try await bench.terminal(
            with: ["AUTHTOP_MINE_USERNAME": "u", "AUTHTOP_MINE_PASSWORD": "hunter2"]
        )
        try await terminal.enter("authtop watch mine --vault memory \(arguments)")
        return terminal
    }

    @Test("milliseconds are named once tokens are refused when they end by them")
    func milliseconds() async throws {
        try await withBench { bench in
            let terminal = try await Self.terminal(
                bench,
                stating: #", "expires_in": 6000"#,
                life: .seconds(6),
                "--every 1s"
            )
            try await terminal.see("of 1 h 40 m: probably milliseconds")
            try await terminal.press("2", "Enter")
            try await terminal.see("expires_in is in milliseconds", "milliseconds:expires_in")
        }
    }

    @Test("a profile that says milliseconds is renewed in time")
    func mended() async throws {
        try await withBench { bench in
            let terminal = try await Self.terminal(
                bench,
                stating: #", "expires_in": 40000"#,
                unit: "milliseconds",
                "--every 1h"
            )
            try await terminal.see("of 40 s left")
        }
    }

    @Test(
        "a lifetime that is none is named",
        arguments: [
            (#", "expires_in": 0"#, "expires_in is 0: no lifetime"),
            (#", "expires_in": -5"#, "expires_in is -5: no lifetime"),
        ]
    )
    func none(statement: String, message: String) async throws {
        try await withBench { bench in
            let terminal = try await Self.terminal(bench, stating: statement, "--every 1h")
            let screen = try await terminal.see(message)
            #expect(!screen.contains { $0.contains("no answer and no token says it") })
        }
    }

    @Test("a token of a second is renewed when the screen says so")
    func oneSecond() async throws {
        try await withBench { bench in
            let terminal = try await Self.terminal(bench, stating: #", "expires_in": 1"#, "")
            try await terminal.seeGeneration(atLeast: 4)
            let screen = try await terminal.see("of 1 s left")
            #expect(!screen.contains { $0.contains("renews in 4 m") || $0.contains(/\b5 m\b/) })
        }
    }
}
