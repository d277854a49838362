import Glibc
import Platform
import Synchronization
import Testing

@testable import Proxy

@Suite("Serving: answers that refuse the token by their bodies", .timeLimit(.minutes(20)))
struct ExaminedAnswerTests {
    private static let page = "http://localhost:3000"

    /// Sends a request to a backend that gives one answer to the first token, and 200 to others.
    ///
    /// - Returns: What the app gets, and the number of requests that the backend got.
    private static func exchange(
        _ answer: String,
        isLast: Bool = false,
        session: NumberedSession
    ) async throws -> (got: String, requests: Int) {
        let requests = Mutex(0)
        let got = try await withOrigin { connection in
            while true {
                let head = try await connection.readHead()
                requests.withLock { $0 += 1 }
                let isFirst = head.contains("Bearer 1\r\n")
                try await connection.write(
                    isFirst ? answer : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                )
                if isFirst, isLast { return }
            }
        } body: { origin in
            let configuration = session.configuration(rules: ServingRules(user: getuid()))
            return try await withProxy(to: origin, configuration: configuration) { port in
                var client = try await RawConnection.connect(to: port)
                try await client.write("GET /me HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let got = try await client.readAnswer()
                await client.close()
                return got
            }
        }
        return (got, requests.withLock { $0 })
    }

    private static func json(_ status: Int, _ body: String) -> String {
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json; charset=utf-8\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let graphQL = "{\"errors\":[{\"extensions\":{\"code\":\"UNAUTHENTICATED\"}}]}"

    @Test(
        "the request is sent once more after a refusal that only the body states",
        arguments: [
            json(403, "{\"error\":\"invalid_token\"}"), json(200, graphQL),
            json(200, "{\"ok\":false,\"error\":\"token_expired\"}"),
            json(422, graphQL),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "\(String(graphQL.utf8.count, radix: 16))\r\n\(graphQL)\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\ngrpc-status: 16\r\n"
                + "Content-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /login?next=%2Fme\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 440 Login Time-out\r\nContent-Length: 0\r\n\r\n",
        ]
    )
    func repeated(refusal: String) async throws {
        let session = NumberedSession()
        let (got, requests) = try await Self.exchange(refusal, session: session)
        #expect(got.hasSuffix("\r\n\r\nok"), "\(got)")
        #expect(requests == 2)
        #expect(session.notices == [.repeated, .served])
    }

    @Test("the same if the end of the connection is that of the answer")
    func untilClose() async throws {
        let session = NumberedSession()
        let refusal =
            "HTTP/1.1 403 No\r\nContent-Type: application/json\r\n\r\n"
            + "{\"error\":\"invalid_token\"}"
        let (got, requests) = try await Self.exchange(refusal, isLast: true, session: session)
        #expect(got.hasSuffix("\r\n\r\nok"), "\(got)")
        #expect(requests == 2)
    }

    @Test(
        "an answer that refuses nothing goes to the app as it is, and no token is asked for",
        arguments: [
            json(200, "{\"data\":{\"id\":1}}"), json(403, "{\"error\":\"forbidden\"}"),
            json(404, "{\"error\":\"not_found\"}"), json(200, ""),
            json(200, "{\"errors\":[{\"message\":\"\(String(repeating: "x", count: 40_000))\"}]}"),
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>",
        ]
    )
    func passed(answer: String) async throws {
        let session = NumberedSession()
        let (got, requests) = try await Self.exchange(answer, session: session)
        #expect(got == answer)
        #expect(requests == 1)
        #expect(session.notices == [.served])
        #expect(session.asked == 1)
    }

    @Test("the app gets the refusal if another token is refused as well: it is sent twice at most")
    func twice() async throws {
        let session = NumberedSession()
        let requests = Mutex(0)
        let refusal = Self.json(200, Self.graphQL)
        try await withOrigin { connection in
            while true {
                _ = try await connection.readHead()
                requests.withLock { $0 += 1 }
                try await connection.write(refusal)
            }
        } body: { origin in
            let configuration = session.configuration(rules: ServingRules(user: getuid()))
            try await withProxy(to: origin, configuration: configuration) { port in
                var client = try await RawConnection.connect(to: port)
                try await client.write("GET /me HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await client.readAnswer() == refusal)
                await client.close()
            }
        }
        #expect(requests.withLock { $0 } == 2)
        #expect(session.asked == 2)
    }

    @Test(
        "a body that goes on is relayed as it comes, and not kept until its end",
        arguments: ["text/event-stream", "application/json"]
    )
    func stream(type: String) async throws {
        let session = NumberedSession()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\nfirst\r\n"
            )
            // The end comes after the app has read the beginning.
            _ = await connection.readToEnd()
        } body: { origin in
            let configuration = session.configuration(rules: ServingRules(user: getuid()))
            try await withProxy(to: origin, configuration: configuration) { port in
                var client = try await RawConnection.connect(to: port)
                try await client.write("GET /me HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await client.readHead().hasPrefix("HTTP/1.1 200 "))
                #expect(try await client.read(10) == Array("5\r\nfirst\r\n".utf8))
                await client.close()
            }
        }
        #expect(session.notices == [.served])
    }

    @Test("a page that is allowed can read the proxy's own answers, and no other page can")
    func readable() async throws {
        let session = NumberedSession(isEnded: true)
        let rules = ServingRules(user: getuid(), origins: [Self.page])
        var configuration = session.configuration(rules: rules)
        configuration.crossOriginAccess = CrossOriginAccess(
            alsoFor: [try BackendOrigin(parsing: Self.page, allowInsecure: true)]
        )
        let head = "GET /me HTTP/1.1\r\nHost: localhost\r\nOrigin: "
        try await withOrigin { _ in
        } body: { [configuration] origin in
            try await withProxy(to: origin, configuration: configuration) { port in
                for (origin, isAllowed) in [(Self.page, true), ("http://localhost:3001", false)] {
                    var client = try await RawConnection.connect(to: port)
                    try await client.write("\(head)\(origin)\r\n\r\n")
                    let answer = try await client.readAnswer()
                    #expect(answer.hasPrefix(isAllowed ? "HTTP/1.1 401 " : "HTTP/1.1 403 "))
                    let field = "Access-Control-Allow-Origin: \(origin)\r\n"
                    #expect(answer.contains(field) == isAllowed, "\(answer)")
                    #expect(answer.contains("Authtop-Error: "))
                    await client.close()
                }
            }
        }
    }
}
