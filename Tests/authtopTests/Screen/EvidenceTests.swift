import TestSupport
import Testing

/// A backend that refuses a refresh token in its own words, and repeats the token in them.
@Suite("The screen and the lines: the evidence of an answer", .programs)
struct EvidenceTests {
    private static func refusal(repeating token: String) -> String {
        Answers.json(
            401,
            #"{"detail": "Refresh token reused or revoked", "sent": "\#(token)", "x": "\u001b[31m"}"#
        )
    }

    @Test("a refusal in the server's words is on the screen, and Enter shows what it looked like")
    func screen() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(
                .answered(Self.refusal(repeating: "rt")),
                for: Guide.bitbasel.refreshPath
            )
            let terminal = try await bench.watchOnScreen(.bitbasel, at: relay.port, "--every", "1h")
            try await terminal.see("● open")
            try await terminal.press("r")
            try await terminal.see(
                "○ signed out: the backend refused the refresh token",
                "\"Refresh token reused or revoked\""
            )
            try await terminal.press("Enter")
            try await terminal.see(
                "terminal: status 401 and key \"detail\"",
                "when sent",
                "HTTP/1.1 401 Unauthorized",
                "Content-Type: application/json"
            )
        }
    }

    @Test("the lines have it too, with a fingerprint in place of a token that is repeated")
    func lines() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.bitbasel, at: relay.port)
            let login = try await watch.stream.first("tokensIssued")
            let fingerprint = try #require(login.text("refresh"))
            let tokens = relay.answers.compactMap { answer in
                answer.body.firstMatch(of: /"refresh_token"\s*:\s*"([^"]+)"/)?.1
            }
            let token = try #require(tokens.first)
            relay.prepare(
                .answered(Self.refusal(repeating: String(token))),
                for: Guide.bitbasel.refreshPath
            )
            let refused = try await watch.stream.first("the refusal") {
                $0.isRequest("refresh") && $0.status == 401
            }
            #expect(refused.text("rule") == "terminal")
            #expect(refused.text("ruleMessage") == "terminal: status 401 and key \"detail\"")
            #expect(refused.text("statusLine") == "HTTP/1.1 401 Unauthorized")
            #expect((refused.number("tokenAge") ?? 0) > 0)
            let body = try #require(refused.text("body"))
            #expect(body.contains("Refresh token reused or revoked"))
            #expect(body.contains(fingerprint) && !body.contains(token))
            #expect(body.unicodeScalars.allSatisfy { $0.value >= 0x20 })
            let ending = try await watch.stream.first("refreshTokenRefused")
            #expect(ending.text("message") == "Refresh token reused or revoked")
        }
    }
}
