import Basics
import Client
import Model
import Platform
import Profiles
import Testing

@Suite("Token transport: answers that are no HTTP", .timeLimit(.minutes(20)))
struct ResponseViolationTests {
    @Test(
        "a status below 100 is refused by its name",
        arguments: ["000", "001", "042", "099"],
        ["", "Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n"]
    )
    func lowStatus(status: String, header: String) async throws {
        let answer = "HTTP/1.1 \(status) X\r\n\(header)\r\n2\r\n{}\r\n0\r\n\r\n"
        for use in [ConnectionUse.own, .shared] {
            try await exchange([.readRequest, .send(answer), .hold]) { transport, server in
                let message = await transport.send(.refresh, use).unanswered
                #expect(
                    message
                        == "the answer of 127.0.0.1:\(server.port) is not HTTP: status \(status)"
                )
                let isAnswered = await transport.probe(deadline: liveTime.now + .seconds(30))
                #expect(!isAnswered)
            }
        }
    }

    @Test("a status below 100 is refused under TLS too")
    func lowStatusUnderTLS() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            let script: [ScriptedServer.Step] = [
                .readRequest, .send("HTTP/1.1 000 X\r\n\r\n"), .hold,
            ]
            try await ScriptedServer.run([script], tls: authority.server) { server in
                try await withTestNetwork(trust: trust) { network in
                    let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                    let message = await network.tokenTransport(to: origin).send(.refresh).unanswered
                    #expect(
                        message?.hasSuffix("is not HTTP: status 000") == true,
                        "\(message ?? "")"
                    )
                }
            }
        }
    }

    @Test(
        "what no request asked for is refused by its name",
        arguments: [
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "status 101, although no upgrade"),
            (
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
                "status 101, although no upgrade"
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n{}",
                "a transfer coding that was not asked for"
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                "a transfer coding that was not asked for"
            ),
        ]
    )
    func unrequested(answer: String, message: String) async throws {
        try await exchange([.readRequest, .send(answer), .hold]) { transport, _ in
            let said = await transport.send(.refresh).unanswered
            #expect(said?.contains(" is not HTTP: \(message)") == true, "\(said ?? "")")
        }
    }

    @Test(
        "what the decoder cannot read is no answer",
        arguments: [
            "HTTP/0.9 200 OK\r\n\r\n",
            "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 99 X\r\n\r\n",
            "HTTP/1.1 1000 X\r\n\r\n",
            "HTTP/1.1 -20 X\r\n\r\n",
            "HTTP/1.1 2e2 X\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}{",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nX\u{0}: a\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\n: a\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nX : a\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "11111111111111111\r\n{}\r\n0\r\n\r\n",
        ]
    )
    func unreadable(answer: String) async throws {
        try await exchange([.readRequest, .send(answer), .hold]) { transport, _ in
            let report = await transport.send(.refresh)
            let message = report.unanswered
            #expect(
                message?.contains("does not answer in HTTP") == true,
                "\(message ?? "answered")"
            )
        }
    }

    @Test(
        "a status above 599 is an answer of the server's",
        arguments: [600, 999]
    )
    func highStatus(status: Int) async throws {
        let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n"
        try await exchange([.readRequest, .send(answer)]) { transport, _ in
            #expect(await transport.send(.refresh).answer?.status == status)
        }
    }

    @Test("sixteen interim responses are put up with", arguments: [100, 102, 103, 199])
    func someInterim(status: Int) async throws {
        let interim = "HTTP/1.1 \(status) X\r\nLink: </x>\r\n\r\n"
        let answer = String(repeating: interim, count: 16) + .okAnswer
        try await exchange([.readRequest, .send(answer)]) { transport, _ in
            #expect(await transport.send(.refresh).answer?.status == 200)
        }
    }

    @Test("more interim responses than sixteen are refused, and so are endless ones")
    func endlessInterim() async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 17)
        let endless = Array(repeating: ScriptedServer.Step.send(interim), count: 2000)
        for script in [[.send(interim + .okAnswer)], endless] {
            try await exchange([.readRequest] + script + [.hold]) { transport, server in
                let message = await transport.send(.refresh).unanswered
                #expect(
                    message == "the answer of 127.0.0.1:\(server.port) is not HTTP: "
                        + "over 16 interim responses (1xx)"
                )
            }
        }
    }

    @Test(
        "what has no end is cut off, and the words say what it was",
        arguments: [
            ("HTTP/1.1 200 ", "headers over 64 KiB"),
            ("HTTP/1.1 200 OK\r\nX: ", "headers over 64 KiB"),
            ("HTTP/1.1 200 OK\r\nX", "headers over 64 KiB"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;",
                "chunk headers and trailers over 64 KiB"
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: ",
                "chunk headers and trailers over 64 KiB"
            ),
        ]
    )
    func endless(start: String, message: String) async throws {
        let script: [ScriptedServer.Step] = [
            .readRequest, .send(start), .sendBytes(4 << 20), .hold,
        ]
        try await exchange(script) { transport, _ in
            let said = await transport.send(.refresh).unanswered
            #expect(said?.hasSuffix(message) == true, "\(said ?? "answered")")
        }
    }

    @Test("trailers count as headers do", arguments: [20, 300])
    func trailers(count: Int) async throws {
        let trailer = "X-Filler: \(String(repeating: "x", count: 70_000 / count))\r\n"
        let answer =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
            + String(repeating: trailer, count: count) + "\r\n"
        try await exchange([.readRequest, .send(answer), .hold]) { transport, _ in
            let message = await transport.send(.refresh).unanswered
            #expect(
                message?.hasSuffix(
                    count > 256 ? "more than 256 headers" : "chunk headers and trailers over 64 KiB"
                ) == true,
                "\(message ?? "answered")"
            )
        }
    }

    @Test("more headers than 256 are no answer, however small")
    func manyHeaders() async throws {
        let headers = (0..<257).map { "X-\($0): x\r\n" }.joined()
        let answer = "HTTP/1.1 200 OK\r\n\(headers)\r\n"
        try await exchange([.readRequest, .send(answer)]) { transport, _ in
            #expect(await transport.send(.refresh).unanswered == "more than 256 headers")
        }
    }

    @Test("chunks of one byte are a body like any other")
    func smallChunks() async throws {
        let chunks = String(repeating: "1\r\nx\r\n", count: 20_000)
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n"
        try await exchange([.readRequest, .send(answer)]) { transport, _ in
            #expect(await transport.send(.refresh).answer?.body.count == 20_000)
        }
    }

    @Test("a second answer to one request is not taken for that of the next")
    func secondAnswer() async throws {
        let second = "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno"
        try await exchange(
            [.readRequest, .send(.okAnswer + second), .hold],
            [.readRequest, .send(.okAnswer), .hold]
        ) { transport, server in
            #expect(await transport.send(.protected, .shared).answer?.status == 200)
            #expect(await transport.send(.protected, .shared).answer?.status == 200)
            #expect(server.connections == 2)
        }
    }
}
