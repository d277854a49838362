import Foundation
import TestSupport
import Testing

@Suite("authtop login: in the place of a session that nothing renews", .programs)
struct LoginReplacementTests {
    @Test("opens a new one at once, and ends the old one at the backend")
    func replaces() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.melchat, at: relay.port)
            try await refuse(relay, bench)
            let login = try await bench.logIn(.melchat, at: relay.port)
            #expect(login.output.lines.first == "melchat: logged in")
            let sessions = try await sandbox.report().sessions(of: .melchat)
            #expect(sessions.count == 2)
            #expect(sessions.map(\.ended).filter { $0 == nil }.count == 1)
            let status = try await bench.operation("status", .melchat, at: relay.port, "--json")
            #expect(try JSON.object(in: status.output.text)["outbox"]?.number == 0)
            let refresh = try await bench.operation("refresh", .melchat, at: relay.port)
            #expect(refresh.ending == .exit(0), "\(refresh.errors.text)")
        }
    }

    @Test("that fails leaves the old one as it was")
    func fails() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.melchat, at: relay.port)
            try await refuse(relay, bench)
            var wrong = Guide.melchat.credentials
            wrong["AUTHTOP_MELCHAT_CODE"] = "999999"
            let login = try await bench.operation(
                "login",
                .melchat,
                at: relay.port,
                credentials: wrong
            )
            #expect(login.ending == .exit(1))
            let status = try await bench.operation("status", .melchat, at: relay.port)
            #expect(status.output.lines.first?.contains("about to end") == true)
            #expect(try await sandbox.report().sessions(of: .melchat).map(\.ended) == [nil])
        }
    }

    @Test("is what the key o does as well")
    func key() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(.melchat, at: relay.port)
            try await terminal.see("● fresh")
            relay.prepare(.answered(Self.refusal), for: Guide.melchat.refreshPath)
            try await terminal.press("r")
            try await terminal.see("log in again with o")
            try await terminal.press("o")
            try await terminal.see("● fresh")
            try await terminal.see("generation 2.1")
            // The backend is told of the old one's end once the new one is there.
            try await eventually("the end of the old session") {
                let sessions = try await sandbox.report().sessions(of: .melchat)
                return sessions.count == 2 && sessions.filter { $0.ended == nil }.count == 1
            }
        }
    }

    @Test("a logout in that state tells the backend with the access token")
    func logout() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.melchat, at: relay.port)
            try await refuse(relay, bench)
            let logout = try await bench.operation("logout", .melchat, at: relay.port)
            #expect(logout.ending == .exit(0))
            #expect(logout.output.text.contains("the backend acknowledged"))
            let sessions = try await sandbox.report().sessions(of: .melchat)
            #expect(sessions.allSatisfy { $0.ended != nil })
        }
    }

    @Test("a logout that needs the refresh token says that the backend cannot be notified")
    func undeliverable() async throws {
        try await withBench { bench in
            try bench.write(
                """
                extends = "intellipost"
                logout.this.refresh_in = "json:refresh_token"
                policy.after_refusal = "drain"

                """,
                to: "config/authtop/profiles/intellipost.toml"
            )
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.intellipost, at: relay.port)
            let refusal = Answers.json(401, #"{"error": "no"}"#)
            relay.prepare(.answered(refusal), for: Guide.intellipost.refreshPath)
            _ = try await bench.operation("refresh", .intellipost, at: relay.port)
            let logout = try await bench.operation("logout", .intellipost, at: relay.port)
            #expect(logout.ending == .exit(0))
            #expect(logout.output.text.contains("its logout needs the refresh token"))
            let status = try await bench.operation("status", .intellipost, at: relay.port, "--json")
            #expect(try JSON.object(in: status.output.text)["outbox"]?.number == 0)
            #expect(try await sandbox.report().counters(of: .intellipost)?.logouts == 0)
        }
    }

    @Test(
        "a logout says what the backend answered, and fails if that may not have ended the session",
        arguments: [
            (401, "answered 401: it does not accept the token, which may have ended before", 1),
            (404, "answered 404: it does not know the token, or has no logout at this path", 1),
            (503, "the backend answered 503, so revocation pending", 0),
        ]
    )
    func answers(status: Int, message: String, code: Int32) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.intellipost, at: relay.port)
            relay.prepare(.answered(Answers.json(status, "{}")), for: "/api/auth/logout")
            let logout = try await bench.operation("logout", .intellipost, at: relay.port)
            #expect(logout.ending == .exit(code))
            let text = code == 0 ? logout.output.text : logout.errors.text
            #expect(text.contains(message), "\(text)")
            #expect(!text.contains("acknowledged"))
        }
    }

    private static let refusal = Answers.json(401, #"{"success": false, "message": "no"}"#)

    /// The backend refuses the refresh token once, which is for good.
    private func refuse(_ relay: Relay, _ bench: Bench) async throws {
        relay.prepare(.answered(Self.refusal), for: Guide.melchat.refreshPath)
        let refresh = try await bench.operation("refresh", .melchat, at: relay.port)
        #expect(refresh.ending == .exit(1))
        #expect(refresh.errors.text.contains("run: authtop login melchat"))
    }
}
