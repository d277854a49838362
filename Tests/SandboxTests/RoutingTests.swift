import Backend
import Dialects
import FoundationEssentials
import Sandbox
import Testing
import Timekeeping
import Tokens
import WebSockets

@Suite("Sandbox: which dialect a request is written in")
struct RoutingTests {
    @Test("at the root, a path that only one dialect has is served")
    func unique() async throws {
        let voltyks = try dialect("voltyks")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(voltyks, under: "")
            let response = try await sandbox.send(voltyks.protectedRequest(tokens.access))
            #expect(response.status == 200)
        }
    }

    @Test("at the root, a path that two dialects have is nobody's, and the answer names both")
    func ambiguous() async throws {
        try await withSandbox { sandbox in
            let response = try await sandbox.send(
                WireRequest(method: "POST", target: "/auth/refresh")
            )
            #expect(response.status == 404)
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(text.contains("/bitbasel/auth/refresh"))
            #expect(text.contains("/creatist/auth/refresh"))
        }
    }

    @Test("the primary dialect owns the root", arguments: ["bitbasel", "creatist"])
    func primary(name: String) async throws {
        let dialect = try dialect(name)
        try await withSandbox(SandboxConfiguration(primary: name)) { sandbox in
            let tokens = try await sandbox.login(dialect, under: "")
            let refresh = try #require(tokens.refresh)
            let response = try await sandbox.send(dialect.refreshRequest(refresh))
            #expect(response.status == 200)
            #expect(try await sandbox.opens(dialect, tokens.access) == .accepted)
            let feed = try await sandbox.open(dialect.feedRequest(tokens.access, since: nil))
            await feed.connection.close()
            let other = try await sandbox.send(
                WireRequest(method: "POST", target: "/api/Auth/RefreshToken")
            )
            #expect(other.status == 404)
        }
    }

    @Test(
        "what nobody serves is a 404, a wrong method a 405, both in JSON",
        arguments: [
            ("GET", "/nothing", 404), ("GET", "/bitbasel", 404), ("GET", "/bitbasel/", 404),
            ("POST", "/bitbasel/auth/refresh/", 404), ("GET", "/bitbasel/auth/refresh", 405),
            ("DELETE", "/__sandbox/state", 405), ("GET", "/__sandbox/nothing", 404),
            ("GET", "//", 404), ("GET", "/%00", 404),
        ]
    )
    func unknown(method: String, target: String, status: Int) async throws {
        try await withSandbox { sandbox in
            let response = try await sandbox.send(WireRequest(method: method, target: target))
            #expect(response.status == status)
            #expect(response.header("Content-Type") == "application/json")
            #expect(JSONValue(parsing: response.body)?.value(at: "detail") != nil)
        }
    }

    @Test("HEAD is answered as GET is, without a body")
    func head() async throws {
        try await withSandbox { sandbox in
            let response = try await sandbox.send(WireRequest(method: "HEAD", target: "/"))
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
        }
    }

    @Test("every answer tells the server's clock")
    func date() async throws {
        let timekeeper = VirtualTimekeeper(wall: Date(timeIntervalSince1970: 1_800_000_000.75))
        try await withSandbox(timekeeper: timekeeper) { sandbox in
            for target in ["/", "/nothing", "/bitbasel/posts/feed", "/__sandbox/state"] {
                let response = try await sandbox.get(target)
                #expect(response.header("Date") == "Fri, 15 Jan 2027 08:00:00 GMT")
            }
        }
    }

    @Test("a body of more than 1 MiB is refused, and the connection goes on")
    func tooLarge() async throws {
        try await withSandbox { sandbox in
            let body = Array(repeating: UInt8(ascii: "x"), count: (1 << 20) + 1)
            let large = WireRequest(method: "POST", target: "/bitbasel/auth/refresh", body: body)
            let refused = try await sandbox.send(large)
            #expect(refused.status == 413)
            var fitting = large
            fitting.body.removeLast()
            let taken = try await sandbox.send(fitting)
            #expect(taken.status != 413)
        }
    }

    @Test("a body that is not JSON is refused in the dialect's words")
    func malformed() async throws {
        try await withSandbox { sandbox in
            let request = WireRequest(
                method: "POST",
                target: "/intellipost/api/auth/refresh",
                headers: [WireHeader("Content-Type", "application/json")],
                body: Array("{".utf8)
            )
            let response = try await sandbox.send(request)
            #expect((400..<500).contains(response.status))
            #expect(JSONValue(parsing: response.body)?.value(at: "error") != nil)
        }
    }
}
