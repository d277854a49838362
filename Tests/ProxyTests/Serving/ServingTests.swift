import Basics
import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Profiles
@testable import Proxy

@Suite("Proxy: requests that are sent with a session's token", .timeLimit(.minutes(20)))
struct ServingTests {
    private static func configuration(
        _ session: NumberedSession,
        rules: ServingRules = ServingRules(user: getuid())
    ) -> ProxyConfiguration {
        session.configuration(rules: rules)
    }

    /// A backend that refuses all tokens before a number, and answers with the token and the body.
    private static func withBackend(
        accepting first: Int,
        _ body: (Int) async throws -> Void
    ) async throws {
        try await withOrigin { connection in
            while true {
                let head = try await connection.readHead()
                let fields = head.split(separator: "\r\n").map(String.init)
                func value(_ name: String) -> String? {
                    fields.first { $0.lowercased().hasPrefix("\(name): ") }
                        .map { String($0.dropFirst(name.count + 2)) }
                }
                let length = value("content-length").flatMap { Int($0) } ?? 0
                let sent = try await connection.read(length)
                let token = Int(value("authorization")?.dropFirst(7) ?? "") ?? 0
                guard token >= first else {
                    try await connection.write(
                        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer error=\"x\"\r\n"
                            + "Content-Length: 2\r\n\r\nno"
                    )
                    continue
                }
                let text = "\(token) \(sent.count)"
                try await connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                )
            }
        } body: { origin in
            try await body(origin)
        }
    }

    private static func answer(
        _ head: String,
        body: [UInt8] = [],
        at port: Int
    ) async throws -> String {
        var client = try await RawConnection.connect(to: port)
        let length = body.isEmpty ? "" : "Content-Length: \(body.count)\r\n"
        try await client.write(Array("\(head)\r\nHost: localhost\r\n\(length)\r\n".utf8) + body)
        let answer = try await client.readAnswer()
        await client.close()
        return answer
    }

    @Test("have it in place of their own, which is told")
    func injected() async throws {
        let session = NumberedSession()
        try await Self.withBackend(accepting: 1) { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                let answer = try await Self.answer(
                    "GET / HTTP/1.1\r\nAuthorization: Bearer 0",
                    at: port
                )
                #expect(answer.hasSuffix("\r\n\r\n1 0"), "\(answer)")
            }
        }
        #expect(session.notices == [.replaced(name: "Authorization"), .served])
    }

    @Test("of many programs that come at once are all known as the user's own")
    func crowd() async throws {
        let session = NumberedSession()
        try await Self.withBackend(accepting: 1) { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<400 {
                        group.addTask { try await Self.answer("GET / HTTP/1.1", at: port) }
                    }
                    for try await answer in group {
                        #expect(answer.hasSuffix("\r\n\r\n1 0"), "\(answer)")
                    }
                }
            }
        }
    }

    @Test("are sent once more after a 401, with the same body", arguments: [0, 5, 300_000])
    func repeated(count: Int) async throws {
        let session = NumberedSession()
        try await Self.withBackend(accepting: 2) { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                let answer = try await Self.answer(
                    "POST / HTTP/1.1",
                    body: [UInt8](repeating: 7, count: count),
                    at: port
                )
                #expect(answer.hasSuffix("\r\n\r\n2 \(count)"), "\(answer)")
            }
        }
        #expect(session.notices == [.repeated, .served])
    }

    @Test("are sent twice at most, and the backend's second refusal is passed on as it is")
    func refusedTwice() async throws {
        let session = NumberedSession()
        try await Self.withBackend(accepting: 9) { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                let answer = try await Self.answer("GET / HTTP/1.1", at: port)
                #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
                #expect(answer.contains("WWW-Authenticate: Bearer error=\"x\"\r\n"))
                #expect(answer.hasSuffix("\r\n\r\nno"))
            }
        }
        #expect(session.notices == [.repeated, .served])
        #expect(session.state.withLock { $0.asked } == 2)
    }

    @Test("are not sent once more if the body is longer than what is kept, which is told")
    func tooLong() async throws {
        let session = NumberedSession()
        try await Self.withBackend(accepting: 2) { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                let body = [UInt8](repeating: 7, count: ServedRequest.bodyLimit + 1)
                let answer = try await Self.answer("POST /a?b=c HTTP/1.1", body: body, at: port)
                #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
                // The session has learned of the refusal nevertheless.
                let next = try await Self.answer("GET / HTTP/1.1", at: port)
                #expect(next.hasSuffix("\r\n\r\n2 0"), "\(next)")
            }
        }
        #expect(session.notices.first == .notRepeated(method: "POST", path: "/a"))
    }

    @Test("wait for the token, whatever of the body has come; the backend gets nothing before")
    func waiting() async throws {
        let session = NumberedSession()
        session.gate.close()
        let connections = Mutex(0)
        try await withOrigin { connection in
            connections.withLock { $0 += 1 }
            _ = try await connection.readHead()
            #expect(try await connection.read(3) == Array("abc".utf8))
            try await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                var client = try await RawConnection.connect(to: port)
                try await client.write(
                    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nab"
                )
                try await eventually("a question for a token") {
                    session.state.withLock { $0.asked == 1 }
                }
                #expect(connections.withLock { $0 } == 0)
                session.gate.open()
                try await client.write("c")
                #expect(try await client.readHead().hasPrefix("HTTP/1.1 204 "))
                await client.close()
            }
        }
    }

    @Test("are answered with the reason if there is no token")
    func withheld() async throws {
        let session = NumberedSession(isEnded: true)
        try await Self.withBackend(accepting: 0) { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                let answer = try await Self.answer("GET / HTTP/1.1", at: port)
                #expect(answer.hasPrefix("HTTP/1.1 401 "))
                #expect(answer.contains("WWW-Authenticate: Bearer\r\n"))
                #expect(answer.contains("authtop: signed out"))
            }
        }
    }

    @Test("of pages, and of other users, are refused with 403, and none reaches the backend")
    func refused() async throws {
        let session = NumberedSession()
        let connections = Mutex(0)
        try await withOrigin { _ in
            connections.withLock { $0 += 1 }
        } body: { origin in
            try await withProxy(to: origin, configuration: Self.configuration(session)) { port in
                let page = try await Self.answer(
                    "GET / HTTP/1.1\r\nOrigin: https://evil.example",
                    at: port
                )
                #expect(page.hasPrefix("HTTP/1.1 403 "), "\(page)")
                #expect(page.contains("--allow-origin https://evil.example"))
            }
            let others = ServingRules(user: getuid() + 1)
            let configuration = Self.configuration(session, rules: others)
            try await withProxy(to: origin, configuration: configuration) { port in
                let other = try await Self.answer("GET / HTTP/1.1", at: port)
                #expect(other.hasPrefix("HTTP/1.1 403 "), "\(other)")
                #expect(other.contains("uid \(getuid())"), "\(other)")
            }
        }
        #expect(connections.withLock { $0 } == 0)
        #expect(session.state.withLock { $0.asked } == 0)
    }

    @Test("come over a Unix socket of mode 0600, which is gone afterwards")
    func socket() async throws {
        let session = NumberedSession()
        let path = "/tmp/authtop-\(UUID().uuidString.prefix(8)).sock"
        var configuration = Self.configuration(session, rules: ServingRules(user: getuid() + 1))
        configuration.socketPath = path
        // A program that was killed leaves its socket.
        let bind = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
        try await Program.run(Program.python, ["-c", bind, path])
        try await Self.withBackend(accepting: 1) { [configuration] origin in
            try await withProxy(to: origin, configuration: configuration) { _ in
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let curl = try Program(
                    "/usr/bin/env",
                    ["curl", "-s", "--unix-socket", path, "http://localhost/"],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                #expect(try await curl.ended() == .exit(0), "\(curl.errors.text)")
                #expect(curl.output.text == "1 0")
                await #expect(throws: ProxyError.self) {
                    try await withProxy(to: origin, configuration: configuration) { _ in }
                }
                #expect(FileManager.default.fileExists(atPath: path))
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("at a path where there is another file is refused, and the file stays")
    func otherFile() async throws {
        let path = "/tmp/authtop-\(UUID().uuidString.prefix(8)).txt"
        try Data("mine".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = ProxyConfiguration()
        configuration.socketPath = path
        do {
            try await withProxy(to: 1, configuration: configuration) { _ in }
            Issue.record("the file was replaced")
        } catch let error as ProxyError {
            #expect(error.description.contains("no socket"))
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    }
}
