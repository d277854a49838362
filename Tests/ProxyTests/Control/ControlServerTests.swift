import Basics
import Platform
import Profiles
import Proxy
import Testing

@Suite("Proxy: the control port", .timeLimit(.minutes(20)))
struct ControlServerTests {
    /// Sends bytes to a server that answers with the request's method, path and length.
    private static func answer(
        to request: String,
        at address: NetworkAddress = .loopback
    ) async throws -> String {
        let server = ControlServer(within: .seconds(600)) { request in
            .json([
                "path": .string(request.target), "bytes": .integer(Int64(request.body.count)),
            ])
        }
        let port = try await server.start(at: address, port: 0)
        var client = try await RawConnection.connect(to: port)
        try await client.write(request.replacing("PORT", with: String(port)))
        let answer = await client.readToEnd().text
        await client.close()
        await server.stop()
        return answer
    }

    @Test("answers a request in JSON, and ends the connection")
    func request() async throws {
        let answer = try await Self.answer(
            to: "POST /mark HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 5\r\n\r\nhello"
        )
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("{\"bytes\":5,\"path\":\"/mark\"}"))
    }

    @Test(
        "refuses what a page could have sent, and other names of this machine",
        arguments: [
            ("Host: 127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:PORT", 403),
            ("Host: 127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site", 403),
            ("Host: evil.example.com:PORT", 421), ("Host: 127.0.0.1.evil.example", 421),
            ("Host: localhost:PORT\r\nHost: evil.example", 421), ("Accept: */*", 421),
        ]
    )
    func foreign(fields: String, status: Int) async throws {
        let answer = try await Self.answer(to: "GET /state HTTP/1.1\r\n\(fields)\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(!answer.contains("/state"))
    }

    @Test("at an address that other machines reach, answers under any name, and no page either")
    func remote() async throws {
        let address = try #require(NetworkAddress("0.0.0.0"))
        let request = "GET /state HTTP/1.1\r\nHost: monitor.example.com\r\n"
        let answer = try await Self.answer(to: request + "\r\n", at: address)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
        let page = "Origin: https://monitor.example.com\r\n\r\n"
        let refusal = try await Self.answer(to: request + page, at: address)
        #expect(refusal.hasPrefix("HTTP/1.1 403 "), "\(refusal)")
    }

    @Test(
        "refuses what is no request, or too long",
        arguments: [
            ("nonsense\r\n\r\n", "400"),
            (
                "POST /mark HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "400"
            ),
            (
                "POST /mark HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n"
                    + String(repeating: "x", count: 99_999), "413"
            ),
        ]
    )
    func malformed(request: String, status: String) async throws {
        let answer = try await Self.answer(to: request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect((status == "413") == answer.contains("a body of at most 64 KiB"))
    }
}
