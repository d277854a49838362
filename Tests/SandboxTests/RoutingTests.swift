import FoundationEssentials
import HTTP
import Profiles
import Testing

@testable import Backend
@testable import Basics
@testable import Sandbox

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

    @Test(
        "at the root, a path that two dialects have follows the token of the request",
        arguments: ["bitbasel", "creatist", "melchat", "intellipost"]
    )
    func shared(name: String) async throws {
        let dialect = try dialect(name)
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect, under: "")
            let refresh = try #require(tokens.refresh)
            let renewed = try await sandbox.send(dialect.refreshRequest(refresh))
            #expect(renewed.status == 200)
            #expect(try await sandbox.state().backend.counters[name]?.refreshes == 1)
        }
    }

    @Test(
        "at the root, a token that was never issued is refused by the first dialect that takes it",
        arguments: [
            ("/auth/refresh", #"{"refresh_token": "eyJhbGciOiJIUzI1NiJ9.e30.x"}"#, "detail"),
            ("/auth/refresh", #"{"refresh_token": "your_refresh_token"}"#, "detail"),
            ("/api/auth/refresh", #"{"refreshToken": "a1b2"}"#, "success"),
            ("/api/auth/refresh", #"{"refresh_token": "a1b2"}"#, "error"),
        ]
    )
    func foreignToken(target: String, body: String, key: String) async throws {
        try await withSandbox { sandbox in
            let request = WireRequest(
                method: "POST",
                target: target,
                headers: [WireHeader("Content-Type", "application/json")],
                body: Array(body.utf8)
            )
            let response = try await sandbox.send(request)
            #expect(response.status == 401)
            #expect(JSONValue(parsing: response.body)?.value(at: key) != nil)
        }
    }

    @Test(
        "at the root, a token in another place than its dialect has is answered by that dialect",
        arguments: [
            // As a form, where creatist reads JSON; in intellipost's field, from melchat.
            ("creatist", "application/x-www-form-urlencoded", "refresh_token=TOKEN", "message"),
            ("bitbasel", "application/x-www-form-urlencoded", "refresh_token=TOKEN", "detail"),
            ("intellipost", "application/json", #"{"refreshToken": "TOKEN"}"#, "error"),
            ("melchat", "application/json", #"{"refresh_token": "TOKEN"}"#, "success"),
        ]
    )
    func misplacedToken(name: String, type: String, body: String, key: String) async throws {
        let dialect = try dialect(name)
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect, under: "")
            let refresh = try #require(tokens.refresh)
            let request = WireRequest(
                method: "POST",
                target: dialect.refreshRequest(refresh).path,
                headers: [WireHeader("Content-Type", type)],
                body: Array(body.replacing("TOKEN", with: refresh.secret.reveal()).utf8)
            )
            let response = try await sandbox.send(request)
            #expect((400..<500).contains(response.status) && response.status != 404)
            #expect(JSONValue(parsing: response.body)?.value(at: key) != nil)
        }
    }

    @Test("at the root, a logout without a credential is of the dialect whose logout has none")
    func bareLogout() async throws {
        try await withSandbox { sandbox in
            let bare = WireRequest(method: "POST", target: "/api/auth/logout")
            #expect(try await sandbox.send(bare).status == 200)
            let counters = try await sandbox.state().backend.counters
            #expect(counters["intellipost"]?.logouts == 1)
        }
    }

    @Test("a dialect's name in front of .localhost gives it the root")
    func subdomain() async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.exchange(
                raw: "POST /auth/refresh HTTP/1.1\r\nHost: creatist.localhost:1\r\n"
                    + "Content-Length: 2\r\nConnection: close\r\n\r\n{}",
                inPieces: false
            )
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(answer.contains("refresh_token is required"))
        }
    }

    @Test("at the root, where nothing tells the dialect, the answer names each and what to do")
    func ambiguous() async throws {
        try await withSandbox { sandbox in
            let response = try await sandbox.send(
                WireRequest(method: "POST", target: "/auth/refresh")
            )
            #expect(response.status == 404)
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(text.contains("/bitbasel/auth/refresh"))
            #expect(text.contains("/creatist/auth/refresh"))
            #expect(text.contains("--dialect NAME"))
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
        "an unknown path is a 404, a wrong method a 405, both in JSON",
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
