import Platform
import Profiles
import TestSupport
import Testing

@testable import Observer
@testable import Proxy

/// An app in a browser, whose pages come from another origin than that of the proxy.
@Suite("Proxy: pages of other origins (CORS)", .timeLimit(.minutes(20)))
struct CrossOriginTests {
    private static let page = "http://localhost:5173"

    private static func configuration(alsoFor named: [String] = []) throws -> ProxyConfiguration {
        var configuration = ProxyConfiguration()
        configuration.crossOriginAccess = CrossOriginAccess(
            alsoFor: Set(try named.map { try BackendOrigin(parsing: $0, allowInsecure: true) })
        )
        return configuration
    }

    /// Sends requests over one connection, to a backend that gives these answers to them.
    ///
    /// - Returns: The answers as the app gets them, and what the proxy saw of them.
    private static func answers(
        _ answers: [String],
        to requests: [String],
        configuration: ProxyConfiguration
    ) async throws -> (got: [String], seen: [(head: WireResponse, corsAddedFor: String?)]) {
        let seen = RecordedTraffic()
        let got = try await withOrigin { connection in
            for answer in answers {
                _ = try await connection.readHead()
                try await connection.write(answer)
            }
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, configuration: configuration, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                var got: [String] = []
                for request in requests {
                    let text = "\(request)\r\nHost: 127.0.0.1:\(proxy)\r\n\r\n"
                    try await client.write(text.replacing("PROXY", with: "127.0.0.1:\(proxy)"))
                    got.append(try await client.readAnswer())
                }
                await client.close()
                return got
            }
        }
        let heads = seen.all.compactMap { input in
            if case .responseHead(let head, let page) = input.kind { (head, page) } else { nil }
        }
        return (got, heads)
    }

    private static let plain = "HTTP/1.1 200 OK\r\nX-Total: 9\r\nContent-Length: 2\r\n\r\nok"

    @Test("without the option, an answer and a refused preflight stay as they are")
    func off() async throws {
        let refusal = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
        let (got, seen) = try await Self.answers(
            [Self.plain, refusal],
            to: [
                "GET /a HTTP/1.1\r\nOrigin: \(Self.page)",
                "OPTIONS /a HTTP/1.1\r\nOrigin: \(Self.page)\r\nAccess-Control-Request-Method: PUT",
            ],
            configuration: ProxyConfiguration()
        )
        #expect(got == [Self.plain, refusal])
        #expect(seen.map(\.corsAddedFor) == [nil, nil])
    }

    @Test("an answer gets what it lacks, for the page's own origin")
    func answer() async throws {
        let (got, seen) = try await Self.answers(
            [Self.plain],
            to: ["GET /a HTTP/1.1\r\nOrigin: \(Self.page)"],
            configuration: Self.configuration()
        )
        let readable = [
            "HTTP/1.1 200 OK", "X-Total: 9", "Content-Length: 2", "Vary: Origin",
            "Access-Control-Allow-Origin: \(Self.page)", "Access-Control-Allow-Credentials: true",
            "Access-Control-Expose-Headers: X-Total", "", "ok",
        ]
        #expect(got == [readable.joined(separator: "\r\n")])
        #expect(seen.map(\.corsAddedFor) == [Self.page])
        // The backend's answer is seen as it was sent.
        #expect(seen[0].head.headers.map(\.name) == ["X-Total", "Content-Length"])
    }

    @Test("a preflight is sent on, and a refusal of it becomes leave; the connection goes on")
    func preflight() async throws {
        let (got, seen) = try await Self.answers(
            [
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nDate: D\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n4\r\nnope\r\n0\r\n\r\n",
                Self.plain,
            ],
            to: [
                "OPTIONS /a HTTP/1.1\r\nOrigin: \(Self.page)\r\n"
                    + "Access-Control-Request-Method: PUT\r\n"
                    + "Access-Control-Request-Headers: authorization,x-csrf",
                "PUT /a HTTP/1.1\r\nOrigin: \(Self.page)\r\nContent-Length: 0",
            ],
            configuration: Self.configuration()
        )
        let leave = [
            "HTTP/1.1 204 No Content", "Date: D", "Vary: Origin",
            "Access-Control-Allow-Origin: \(Self.page)", "Access-Control-Allow-Credentials: true",
            "Access-Control-Allow-Methods: PUT",
            "Access-Control-Allow-Headers: authorization,x-csrf", "", "",
        ]
        #expect(got.first == leave.joined(separator: "\r\n"))
        #expect(got.last?.hasSuffix("\r\n\r\nok") ?? false)
        #expect(seen.map(\.head.status) == [401, 200])
        #expect(seen.map(\.corsAddedFor) == [Self.page, Self.page])
    }

    @Test(
        "an answer of a backend that decides itself stays as it is",
        arguments: ["*", "https://app.example.com", page]
    )
    func decided(origin: String) async throws {
        let answer =
            "HTTP/1.1 403 Forbidden\r\nAccess-Control-Allow-Origin: \(origin)\r\n"
            + "Content-Length: 0\r\n\r\n"
        let (got, seen) = try await Self.answers(
            [answer, answer],
            to: [
                "GET /a HTTP/1.1\r\nOrigin: \(Self.page)",
                "OPTIONS /a HTTP/1.1\r\nOrigin: \(Self.page)\r\nAccess-Control-Request-Method: PUT",
            ],
            configuration: Self.configuration()
        )
        #expect(got == [answer, answer])
        #expect(seen.map(\.corsAddedFor) == [nil, nil])
    }

    @Test(
        "pages of this machine and of named origins can read, and no others",
        arguments: [
            ("http://localhost:5173", true), ("https://localhost", true),
            ("http://app.localhost:3000", true), ("http://127.0.0.1:8080", true),
            ("http://127.9.9.9", true), ("http://[::1]:3000", true),
            ("https://dev.example.com", true), ("https://dev.example.com:8443", false),
            ("http://dev.example.com", false), ("https://evil.example", false),
            ("http://localhost.evil.example", false), ("http://127.0.0.1.evil.example", false),
            ("http://evil-localhost", false), ("http://192.168.1.5:5173", false),
            ("http://0.0.0.0:5173", false), ("http://localhost@evil.example", false),
            ("chrome-extension://abcdefgh", false), ("null", false), ("*", false), ("", false),
            // The proxy's own pages ask no other origin.
            ("http://PROXY", false),
            // Two origins are none.
            ("http://localhost:1\r\nOrigin: https://evil.example", false),
        ]
    )
    func access(origin: String, isAllowed: Bool) async throws {
        let (got, seen) = try await Self.answers(
            [Self.plain],
            to: ["GET /a HTTP/1.1\r\nOrigin: \(origin)"],
            configuration: Self.configuration(alsoFor: ["https://dev.example.com"])
        )
        #expect(got[0].contains("Access-Control-Allow-Origin: \(origin)\r\n") == isAllowed)
        #expect((got[0] == Self.plain) == !isAllowed)
        #expect(seen.map(\.corsAddedFor) == [isAllowed ? origin : nil])
    }

    @Test("a request without Origin is none of a page of another origin")
    func sameOrigin() async throws {
        let (got, _) = try await Self.answers(
            [Self.plain],
            to: ["GET /a HTTP/1.1\r\nAccept: */*"],
            configuration: Self.configuration()
        )
        #expect(got == [Self.plain])
    }

    @Test(
        "what an answer says of other fields is merged, and fields of the connection are not named",
        arguments: [
            ("Vary: Accept", "Vary: Accept, Origin"),
            ("Vary: accept, ORIGIN", "Vary: accept, ORIGIN"),
            ("Vary: *", "Vary: *"),
            ("Access-Control-Allow-Credentials: false", "Vary: Origin"),
            (
                "ETag: x\r\nSet-Cookie: a=b\r\nCache-Control: no-store\r\netag: y\r\nVary: Origin",
                "ETag: x\r\nSet-Cookie: a=b\r\nCache-Control: no-store\r\netag: y\r\nVary: Origin"
            ),
        ]
    )
    func merged(sent: String, expected: String) async throws {
        let (got, _) = try await Self.answers(
            ["HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\(sent)\r\n\r\n"],
            to: ["GET /a HTTP/1.1\r\nOrigin: \(Self.page)"],
            configuration: Self.configuration()
        )
        let exposed = sent.contains("ETag") ? "Access-Control-Expose-Headers: ETag\r\n" : ""
        let result =
            "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\(expected)\r\n"
            + "Access-Control-Allow-Origin: \(Self.page)\r\n"
            + "Access-Control-Allow-Credentials: true\r\n\(exposed)\r\n"
        #expect(got == [result])
    }

    @Test("a preflight whose answer is as long as its connection, and one that was accepted")
    func preflights() async throws {
        let ask =
            "OPTIONS /a HTTP/1.1\r\nOrigin: \(Self.page)\r\nAccess-Control-Request-Method: PATCH"
        let leave =
            "Vary: Origin\r\nAccess-Control-Allow-Origin: \(Self.page)\r\n"
            + "Access-Control-Allow-Credentials: true\r\nAccess-Control-Allow-Methods: PATCH\r\n\r\n"
        for (sent, expected) in [
            (
                "HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\nno such method",
                "HTTP/1.1 204 No Content\r\nConnection: close\r\n\(leave)"
            ),
            (
                "HTTP/1.1 200 OK\r\nAllow: GET\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nAllow: GET\r\nContent-Length: 2\r\n\(leave)ok"
            ),
        ] {
            try await withOrigin { connection in
                _ = try await connection.readHead()
                try await connection.write(sent)
                try await connection.finish()
            } body: { origin in
                try await withProxy(to: origin, configuration: Self.configuration()) { proxy in
                    var client = try await RawConnection.connect(to: proxy)
                    try await client.write("\(ask)\r\nHost: a\r\n\r\n")
                    let received = await client.readToEnd()
                    #expect(received.text == expected)
                    #expect(received.end == .finished)
                    await client.close()
                }
            }
        }
    }

    @Test("the answer of an experiment is as readable as the backend's")
    func injected() async throws {
        let seen = RecordedTraffic()
        try await withOrigin { _ in
        } body: { origin in
            let injector = RefusingInjector()
            try await withProxy(
                to: origin,
                configuration: Self.configuration(),
                seen: seen,
                injector: injector
            ) {
                proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write("GET /a HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.page)\r\n\r\n")
                let answer = try await client.readAnswer()
                #expect(answer.hasPrefix("HTTP/1.1 401 "))
                #expect(answer.contains("\r\nAccess-Control-Allow-Origin: \(Self.page)\r\n"))
                await client.close()
            }
        }
        let heads = seen.all.compactMap { input in
            if case .responseHead(_, let page) = input.kind { page } else { nil }
        }
        #expect(heads == [Self.page])
    }
}

/// Refuses every request.
private struct RefusingInjector: FaultInjector {
    func decide(on request: WireRequest, exchange: Int) -> FaultDecision {
        .answer(
            InjectedAnswer(
                experiment: "expire",
                response: WireResponse(status: 401, body: Array("{}".utf8))
            )
        )
    }
}
