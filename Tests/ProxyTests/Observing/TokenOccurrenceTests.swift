import Foundation
import NIOCore
import Profiles
import Testing

@testable import Observer
@testable import Proxy

@Suite("Proxy: what is seen of an exchange", .timeLimit(.minutes(20)))
struct TokenOccurrenceTests {
    @Test("heads are seen as they came, and bodies without their framing")
    func exchange() async throws {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            _ = try await connection.read(15)
            try await connection.write(
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=b; Secure\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            )
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, configuration: ProxyConfiguration(), seen: seen) {
                proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(
                    "POST /token HTTP/1.1\r\nHost: localhost:\(proxy)\r\nX-Authtop-Client: shop\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                )
                _ = try await client.readHead()
                let head = try await client.readHead()
                #expect(head.contains("Set-Cookie: a=b\r\n"))
                _ = try await client.read(20)
                await client.close()
                #expect(
                    try await seen.words(8) == [
                        "1 POST /token", "1 sends 5", "1 sent 5", "1 103", "1 200", "1 answers 5",
                        "1 answered 5", "1 delivered",
                    ]
                )
                guard
                    case .requestHead(let request, let connection, let peer)? = seen.all.first?.kind,
                    case .responseHead(let response, _) = seen.all[4].kind
                else {
                    Issue.record("no heads")
                    return
                }
                #expect(connection == 1)
                #expect(peer == "127.0.0.1")
                #expect(request.origin == "http://127.0.0.1:\(origin)")
                #expect(request.headers[0] == WireHeader("Host", "localhost:\(proxy)"))
                #expect(request.headers[1] == WireHeader("X-Authtop-Client", "shop"))
                #expect(response.headers[0] == WireHeader("Set-Cookie", "a=b; Secure"))
            }
        }
    }

    @Test("an answer to an app that has ended its connection before is not delivered")
    func leftBefore() async throws {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            _ = await connection.readToEnd()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                let client = try await RawConnection.connect(to: proxy)
                try await client.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await seen.words(2)
                try await client.finish()
                #expect(
                    try await seen.words(7) == [
                        "1 GET /slow", "1 sent 0", "1 given up", "1 200", "1 answers 2",
                        "1 answered 2", "1 not delivered",
                    ]
                )
                await client.close()
            }
        }
    }

    @Test("an answer to an app that resets its connection right after it may not have been read")
    func reset() async throws {
        let seen = RecordedTraffic()
        var configuration = ProxyConfiguration()
        configuration.resetWindow = .minutes(10)
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, configuration: configuration, seen: seen) { proxy in
                let client = try await RawConnection.connect(to: proxy)
                try await client.write("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await seen.words(6)
                try await client.reset()
                #expect(try await seen.words(7).suffix(2) == ["1 delivered", "1 not delivered"])
            }
        }
    }

    @Test("of a long body, the beginning is seen, and its length")
    func longBody() async throws {
        let seen = RecordedTraffic()
        let count = 200_000
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            try await connection.write(Array(repeating: 0x61, count: count))
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await client.readHead()
                _ = try await client.read(count)
                await client.close()
            }
        }
        let kept = seen.all.reduce(0) { sum, input in
            guard case .responseBody(let bytes) = input.kind else { return sum }
            return sum + bytes.count
        }
        #expect(kept == TrafficInput.bodyLimit)
        #expect(seen.words.suffix(2) == ["1 answered \(count)", "1 delivered"])
    }

    @Test("an experiment answers in place of the backend, and the connection goes on")
    func injected() async throws {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            while true {
                let head = try await connection.readHead()
                #expect(head.hasPrefix("GET /pass "))
                try await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
        } body: { origin in
            try await withProxy(to: origin, seen: seen, injector: Expiring()) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(
                    "POST /fail HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                )
                #expect(
                    try await client.readAnswer()
                        == "HTTP/1.1 401 Unauthorized\r\nX-A: b\r\nContent-Length: 2\r\n\r\nno"
                )
                try await client.write("GET /pass HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.readHead() == "HTTP/1.1 204 No Content\r\n\r\n")
                await client.close()
            }
        }
        #expect(
            seen.words.sorted().prefix(8) == [
                "1 401", "1 POST /fail", "1 answered 2", "1 answers 2", "1 delivered",
                "1 injected expire", "1 sends 3", "1 sent 3",
            ]
        )
    }

    @Test("metadata of a provider name the proxy, at any framing", arguments: [0, 1, 2])
    func metadata(framing: Int) async throws {
        try await withOrigin { connection in
            let host = try await connection.readHead().split(separator: "\r\n")
                .first { $0.hasPrefix("Host: ") }?.dropFirst(6)
            let origin = "http://\(host ?? "")"
            let body = "{\"issuer\":\"\(origin)\",\"token_endpoint\":\"\(origin)/token\"}"
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            switch framing {
            case 0:
                try await connection.write(head + "Content-Length: \(body.count)\r\n\r\n\(body)")
            case 1:
                let size = String(body.count, radix: 16)
                try await connection.write(
                    head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n"
                )
            default: try await connection.write(head + "\r\n" + body)
            }
        } body: { origin in
            try await withProxy(to: origin, configuration: ProxyConfiguration()) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(
                    "GET /.well-known/openid-configuration HTTP/1.1\r\nHost: localhost:\(proxy)\r\n\r\n"
                )
                let answer = try await client.readAnswer()
                #expect(
                    answer.hasSuffix(
                        "\r\n\r\n{\"issuer\":\"http://127.0.0.1:\(origin)\","
                            + "\"token_endpoint\":\"http://localhost:\(proxy)/token\"}"
                    )
                )
                await client.close()
            }
        }
    }
}

private struct Expiring: FaultInjector {
    func decide(on request: WireRequest, exchange: Int) -> FaultDecision {
        guard request.target == "/fail" else { return .pass }
        return .answer(
            InjectedAnswer(
                experiment: "expire",
                response: WireResponse(
                    status: 401,
                    headers: [WireHeader("X-A", "b")],
                    body: Array("no".utf8)
                )
            )
        )
    }
}
