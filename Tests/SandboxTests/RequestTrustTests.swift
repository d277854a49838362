import Basics
import HTTP
import Profiles
import Testing

@testable import Backend
@testable import Sandbox

@Suite("Sandbox: what a web page cannot do to it")
struct RequestTrustTests {
    @Test(
        "a host that is not this machine's is refused, whatever is asked for",
        arguments: [
            "evil.example", "evil.example:8787", "127.0.0.1.evil.example", "localhost.evil.example",
            "notlocalhost", "0.0.0.0", "192.168.1.5", "[::]", "128.0.0.1", "127.1", "::1",
        ],
        ["/__sandbox/state", "/", "/bitbasel/posts/feed", "/nothing"]
    )
    func foreignHost(host: String, target: String) async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.get(target, host: host)
            // A value that is no host at all is a bad request.
            #expect(answer.hasPrefix("HTTP/1.1 421 ") || host == "::1", "\(answer)")
            #expect(!answer.hasPrefix("HTTP/1.1 200 "))
            #expect(!answer.contains("counters") && !answer.contains("voltyks"))
        }
    }

    @Test(
        "every name of this machine is served, with any port",
        arguments: [
            "localhost", "LOCALHOST:1", "localhost.", "app.localhost:8787", "127.0.0.1",
            "127.9.8.7:80", "[::1]", "[::1]:8787",
        ]
    )
    func ownHost(host: String) async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.get("/__sandbox/state", host: host)
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            #expect(!answer.lowercased().contains("access-control-allow"))
        }
    }

    @Test(
        "no host, two of them, or what is none, is a bad request",
        arguments: ["", "Host: localhost\r\nHost: localhost\r\n", "Host: a:b\r\n", "Host: \r\n"]
    )
    func badHost(lines: String) async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.exchange(
                raw: "GET / HTTP/1.1\r\n\(lines)Connection: close\r\n\r\n",
                inPieces: false
            )
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
    }

    @Test("a name that was allowed is served, and one that listens for others takes any address")
    func allowed() async throws {
        let named = SandboxConfiguration(allowedHosts: ["Sandbox"])
        #expect(try await status(of: "sandbox:8787", at: named) == "200")
        #expect(try await status(of: "192.168.1.5", at: named) == "421")
        let exposed = SandboxConfiguration(host: "0.0.0.0")
        #expect(try await status(of: "192.168.1.5", at: exposed) == "200")
        #expect(try await status(of: "evil.example", at: exposed) == "421")
    }

    private func status(
        of host: String,
        at configuration: SandboxConfiguration
    ) async throws -> String {
        let answer = try await withSandbox(configuration) { sandbox in
            try await sandbox.get("/", host: host)
        }
        return String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
    }

    @Test(
        "another origin sets no fault and reads no state, however it asks",
        arguments: [
            ["Origin: http://evil.example"], ["Origin: null"], ["Origin: http://127.0.0.1:1"],
            ["Origin: http://localhost"], ["Sec-Fetch-Site: cross-site"],
            ["Sec-Fetch-Site: same-site"],
            ["Origin: http://127.0.0.1", "Origin: http://evil.example"],
        ]
    )
    func foreignOrigin(lines: [String]) async throws {
        try await withSandbox { sandbox in
            let fault = #"{"on": "server-error"}"#
            for type in ["application/json", "application/x-www-form-urlencoded", "text/plain"] {
                let answer = try await sandbox.send(
                    "POST /__sandbox/faults",
                    lines + ["Content-Type: \(type)"],
                    fault
                )
                #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
            }
            let answer = try await sandbox.send("GET /__sandbox/state", lines, "")
            #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
            #expect(sandbox.server.faults.allSatisfy { $0.state == "off" })
        }
    }

    @Test(
        "its own origin, and a user with curl, set faults",
        arguments: [
            ["Content-Type: application/x-www-form-urlencoded"], ["Content-Type: application/json"],
            ["Origin: http://127.0.0.1", "Sec-Fetch-Site: same-origin"], [],
        ]
    )
    func ownOrigin(lines: [String]) async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.send(
                "POST /__sandbox/faults",
                lines,
                #"{"on": "server-error"}"#
            )
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        }
    }

    @Test(
        "a body of a type that a form may have is not read",
        arguments: ["text/plain", "text/plain;charset=UTF-8", "multipart/form-data; boundary=x"]
    )
    func plainType(type: String) async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.send(
                "POST /__sandbox/faults",
                ["Content-Type: \(type)"],
                #"{"on": "server-error"}"#
            )
            #expect(answer.hasPrefix("HTTP/1.1 415 "), "\(answer)")
        }
    }

    @Test(
        "a page of this machine may open the feed, one of another may not",
        arguments: [
            ("http://localhost:3000", true), ("http://127.0.0.1:1", true), ("null", false),
            ("https://evil.example", false), ("file://", false),
        ]
    )
    func feed(origin: String, isAllowed: Bool) async throws {
        let dialect = try dialect("bitbasel")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect)
            var request = try #require(dialect.feedRequest(tokens.access, since: nil))
            request.headers = [WireHeader("Origin", origin)]
            switch try await sandbox.dial(request, under: "/bitbasel") {
            case .open(let connection, _):
                #expect(isAllowed)
                await connection.close()
            case .refused(let status, _, _):
                #expect(!isAllowed && status == 403)
            }
            let counters = try await sandbox.state().backend.counters["bitbasel"]
            #expect(counters?.feedsOpened == (isAllowed ? 1 : 0))
        }
    }
}

extension RunningSandbox {
    /// Asks under a host of one's own choice.
    fileprivate func get(_ target: String, host: String) async throws -> String {
        try await exchange(
            raw: "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n",
            inPieces: false
        )
    }

    fileprivate func send(
        _ line: String,
        _ headers: [String],
        _ body: String
    ) async throws -> String {
        let head =
            ["\(line) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + headers
            + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
        return try await exchange(
            raw: head.joined(separator: "\r\n") + "\r\n\r\n" + body,
            inPieces: false
        )
    }
}
