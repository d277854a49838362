import Foundation
import Synchronization
import TestSupport
import Testing

/// An MCP server that registers clients, and can forget them.
private final class ForgetfulServer: Sendable {
    private struct State {
        var registered = 0
        var known: Set<String> = []
        var seen: [String] = []
    }

    private let state = Mutex(State())
    private let documents = StatedServer()

    var registered: Int { state.withLock { $0.registered } }
    /// The clients that have asked for tokens, in their order.
    var seen: [String] { state.withLock { $0.seen } }

    func forget() { state.withLock { $0.known = [] } }

    func answer(to request: HTTPMessage) -> String {
        switch request.path {
        case "/register":
            let id = state.withLock { state in
                state.registered += 1
                state.known.insert("client-\(state.registered)")
                return "client-\(state.registered)"
            }
            return Answers.json(201, "{\"client_id\": \"\(id)\"}")
        case "/authorize":
            let items = URLComponents(string: request.target)?.queryItems ?? []
            func item(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
            let place = "\(item("redirect_uri"))?code=c1&state=\(item("state"))"
            return "HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"
        case "/token":
            let items = URLComponents(string: "?" + request.body)?.queryItems ?? []
            let client = items.first { $0.name == "client_id" }?.value ?? ""
            let (isKnown, count) = state.withLock { state in
                state.seen.append(client)
                return (state.known.contains(client), state.seen.count)
            }
            guard isKnown else {
                return Answers.json(401, #"{"error": "invalid_client"}"#)
            }
            return Answers.json(
                200,
                """
                {"access_token": "access-of-\(count)-0123456789", "token_type": "Bearer",
                "expires_in": 3, "refresh_token": "refresh-of-\(count)-0123456789"}
                """
            )
        default: return documents.answer(to: request)
        }
    }
}

@Suite("A server that has forgotten its client", .programs)
struct ForgottenClientTests {
    private func start(_ server: ForgetfulServer, on bench: Bench) async throws {
        let listener = bench.keep(try LoopbackServer { server.answer(to: $0) })
        let url = "http://127.0.0.1:\(listener.port)/mcp"
        let written = try bench.authtop(["profiles", "init", "found", "--mcp", url])
        #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
    }

    @Test("keeps the session until the next login, which registers another one")
    func registeredAgain() async throws {
        try await withBench { bench in
            let server = ForgetfulServer()
            try await start(server, on: bench)
            let browser = ["BROWSER": try bench.silentBrowser()]
            let first = try bench.authtop(["login", "found"], with: browser)
            #expect(try await first.ended() == .exit(0), "\(first.errors.text)")
            server.forget()
            for _ in 0..<2 {
                let refresh = try bench.authtop(["refresh", "found"])
                #expect(try await refresh.ended() == .exit(2), "\(refresh.errors.text)")
                let said = refresh.errors.text
                #expect(said.contains("client forgotten (401)"), "\(said)")
                #expect(said.contains("the next login registers another one"), "\(said)")
                #expect(said.contains("you stay logged in"), "\(said)")
            }
            let exported = try bench.authtop(["data", "export", "found"])
            #expect(try await exported.ended() == .exit(0))
            #expect(exported.output.text.contains("client-1"), "\(exported.output.text)")
            #expect(server.registered == 1)
            // The access token may be good for a moment still, in which a login is not needed.
            for _ in 0..<60 where server.registered == 1 {
                let login = try bench.authtop(["login", "found"], with: browser)
                #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            }
            #expect(server.registered == 2)
            let refresh = try bench.authtop(["refresh", "found"])
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
            #expect(server.seen.last == "client-2", "\(server.seen)")
        }
    }

    @Test("is not asked for another one where the client's id was given")
    func given() async throws {
        try await withBench { bench in
            let server = ForgetfulServer()
            try await start(server, on: bench)
            let variables = [
                "BROWSER": try bench.silentBrowser(), "AUTHTOP_FOUND_CLIENT_ID": "given",
            ]
            for _ in 0..<2 {
                let login = try bench.authtop(["login", "found"], with: variables)
                #expect(try await login.ended() != .exit(0))
                #expect(login.errors.text.contains("invalid_client"), "\(login.errors.text)")
                #expect(!login.errors.text.contains("forgotten"), "\(login.errors.text)")
            }
            #expect(server.registered == 0 && server.seen == ["given", "given"])
        }
    }

    @Test("a login that it refuses for that is followed by one with another client")
    func login() async throws {
        try await withBench { bench in
            let server = ForgetfulServer()
            try await start(server, on: bench)
            let browser = ["BROWSER": try bench.silentBrowser()]
            let first = try bench.authtop(["login", "found"], with: browser)
            #expect(try await first.ended() == .exit(0), "\(first.errors.text)")
            let logout = try bench.authtop(["logout", "found"])
            _ = try await logout.ended()
            server.forget()
            let refused = try bench.authtop(["login", "found"], with: browser)
            #expect(try await refused.ended() == .exit(2), "\(refused.errors.text)")
            #expect(refused.errors.text.contains("the next login registers another one"))
            let next = try bench.authtop(["login", "found"], with: browser)
            #expect(try await next.ended() == .exit(0), "\(next.errors.text)")
            #expect(server.registered == 2 && server.seen.last == "client-2", "\(server.seen)")
        }
    }
}
