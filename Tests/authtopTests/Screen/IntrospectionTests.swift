import TestSupport
import Testing

@Suite("The screen: introspection", .programs)
struct IntrospectionTests {
    private static let credentials = [
        "AUTHTOP_MINE_USERNAME": "sandbox", "AUTHTOP_MINE_PASSWORD": "password",
        "AUTHTOP_MINE_CLIENT_ID": "sandbox", "AUTHTOP_MINE_CLIENT_SECRET": "secret",
    ]

    @Test("I asks the server, which agrees; where it does not, it is said, and nothing ends")
    func asked() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            try bench.write(
                """
                extends = "oauth2"
                base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
                vault = "memory"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let terminal = try await bench.terminal(with: Self.credentials)
            try await terminal.enter("authtop watch mine --readonly")
            try await terminal.see("● fresh")
            try await terminal.press("I")
            try await terminal.see("three answers, and no difference") { screen in
                screen.count { $0.contains("server says") && $0.contains("active") } >= 2
                    && screen.contains { $0.contains("User") }
                    && !screen.contains { $0.contains("differs") }
            }
            try await terminal.press("Escape")
            try await sandbox.switchOn("unauthorized:protected")
            try await terminal.press("I")
            try await terminal.see("the access token is not accepted (401)")
            try await terminal.press("Escape")
            try await terminal.see("● fresh")
        }
    }

    @Test("as lines of JSON: nothing of a token, and what it is believed to be")
    func recorded() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            try bench.write(
                """
                extends = "oauth2"
                base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
                vault = "memory"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let terminal = try await bench.terminal(with: Self.credentials)
            let file = "\(bench.home)/run.authtop"
            try await terminal.enter("authtop watch mine --record \(file)")
            try await terminal.see("● fresh")
            try await terminal.press("I")
            try await terminal.see("as of")
            try await terminal.press("q")
            try await terminal.press("q")
            let replay = try await eventually("the recording") {
                let replay = try bench.authtop(["replay", file, "--json"])
                guard try await replay.ended() == .exit(0) else { return Program?.none }
                return replay.output.text.contains("secondOpinion") ? replay : nil
            }
            let introspections = try EventStream(replay.output).all("secondOpinion")
            #expect(
                introspections.compactMap { $0.text("question") }.sorted() == [
                    "access", "refresh", "user",
                ]
            )
            #expect(introspections.allSatisfy { $0["differs"] == .flag(false) })
        }
    }
}
