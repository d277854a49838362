import Client
import Model
import Platform
import Testing

@testable import Basics

@Suite("Token transport: the probe", .timeLimit(.minutes(20)))
struct ProbeTests {
    @Test(
        "any answer in HTTP means that the network is back",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\n\r\n",
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.0 302 Found\r\nLocation: https://portal.example\r\n\r\n",
        ]
    )
    func answered(answer: String) async throws {
        try await exchange([.readRequest, .send(answer)], prefix: "/api") { transport, server in
            #expect(await transport.probe(deadline: liveTime.now + .seconds(30)))
            let request = server.requests.first ?? ""
            #expect(
                request.hasPrefix("HEAD / HTTP/1.1\r\n"),
                "the path of the base URL is left out"
            )
            #expect(!request.lowercased().contains("authorization"))
        }
    }

    @Test("no answer in HTTP means that it is not", arguments: ["", "SSH-2.0-OpenSSH_9.2\r\n"])
    func silent(answer: String) async throws {
        try await exchange([.readRequest, .send(answer)]) { transport, _ in
            #expect(await transport.probe(deadline: liveTime.now + .seconds(30)) == false)
        }
    }

    @Test("silence ends with the deadline")
    func deadline() async throws {
        let clock = VirtualTimekeeper()
        try await exchange([.readRequest, .hold], timekeeper: clock) { transport, server in
            async let probing = transport.probe(deadline: clock.now + .seconds(3))
            await server.waitForRequests(1)
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(3))
            #expect(await probing == false)
        }
    }
}
