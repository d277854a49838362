import Basics
import Client
import Model
import Platform
import Profiles
import Testing

@Suite("Token transport: sent, not sent, answered", .timeLimit(.minutes(20)))
struct OutcomeTests {
    @Test("a refused connection is not sent", arguments: [ConnectionUse.own, .shared])
    func refused(use: ConnectionUse) async throws {
        let port = 1  // a port that was given back may be another test's already
        try await withTestNetwork { network in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(port)")
            let report = await network.tokenTransport(to: origin).send(.refresh, use)
            #expect(report.notSent == "connection refused by 127.0.0.1:\(port)")
            #expect(report.timing.connect == nil)
        }
    }

    @Test("a refusal by every address of a name is one refusal")
    func refusedByName() async throws {
        let port = 1  // a port that was given back may be another test's already
        try await withTestNetwork { network in
            let origin = try BackendOrigin(parsing: "http://app.localhost:\(port)")
            let report = await network.tokenTransport(to: origin).send(.refresh)
            #expect(report.notSent == "connection refused by app.localhost:\(port)")
        }
    }

    @Test("an unknown host is not sent")
    func unknownHost() async throws {
        try await withTestNetwork { network in
            let origin = try BackendOrigin(parsing: "https://nobody.invalid")
            let message = await network.tokenTransport(to: origin).send(.refresh).notSent
            let isKnown =
                message == "no such host: nobody.invalid"
                || message?.hasPrefix("cannot look up nobody.invalid: ") == true
            #expect(isKnown, "\(message ?? "sent")")
        }
    }

    @Test("a connection that ends inside the TLS handshake is not sent")
    func endsInHandshake() async throws {
        try await ScriptedServer.run([[.reset]]) { server in
            try await withTestNetwork { network in
                let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                let report = await network.tokenTransport(to: origin).send(.refresh)
                #expect(report.notSent != nil)
            }
        }
    }

    @Test("a reset on accept is never an answer, and not sent only if no head left")
    func resetOnAccept() async throws {
        try await exchange([.reset]) { transport, _ in
            let report = await transport.send(.refresh)
            #expect(report.answer == nil)
            #expect((report.notSent == nil) == (report.timing.connect != nil))
        }
    }

    @Test("a connection that ends after the request was read is unanswered")
    func closedAfterRequest() async throws {
        try await exchange([.readRequest]) { transport, server in
            let report = await transport.send(.refresh)
            #expect(report.unanswered == "connection closed before an answer came")
            #expect(server.requests.count == 1)
        }
    }

    @Test("a reset after the request was read is unanswered")
    func resetAfterRequest() async throws {
        try await exchange([.readRequest, .reset]) { transport, server in
            let message = await transport.send(.refresh).unanswered
            #expect(message?.hasSuffix("before an answer came") == true)
            #expect(server.connections == 1, "the request is never sent twice")
        }
    }

    @Test(
        "an answer that breaks off is unanswered, never a short answer",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"access_token\":\"x\"}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        ]
    )
    func brokenOff(answer: String) async throws {
        try await exchange([.readRequest, .send(answer)]) { transport, _ in
            let report = await transport.send(.refresh)
            #expect(report.unanswered == "connection closed before the answer was complete")
        }
    }

    @Test("half a head is no answer")
    func halfHead() async throws {
        try await exchange([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Le")]) {
            transport,
            _ in
            #expect(await transport.send(.refresh).unanswered != nil)
        }
    }

    @Test("an answer that is not HTTP is unanswered, and a hint says why")
    func notHTTP() async throws {
        try await exchange([.readRequest, .send("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{16}")]) {
            transport,
            server in
            let message = await transport.send(.refresh).unanswered
            #expect(message == "127.0.0.1:\(server.port) does not answer in HTTP: is it https?")
        }
    }

    @Test(
        "a body of 1 MiB is an answer, one byte more is not",
        arguments: [(1 << 20, true), (1 << 20 + 1, false)]
    )
    func largeBody(size: Int, isAnswer: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        try await exchange([.readRequest, .send(head), .sendBytes(size)]) { transport, _ in
            let report = await transport.send(.protected)
            #expect(report.answer?.body.count == (isAnswer ? size : nil))
            #expect(report.unanswered == (isAnswer ? nil : "body over 1 MiB"))
        }
    }

    @Test("a body without an end is cut off at 1 MiB")
    func endlessBody() async throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        let script: [ScriptedServer.Step] =
            [.readRequest, .send(head)] + Array(repeating: .sendBytes(1 << 20), count: 4)
        try await exchange(script + [.hold]) { transport, _ in
            #expect(await transport.send(.protected).unanswered == "body over 1 MiB")
        }
    }

    @Test("headers without measure are no answer", arguments: [1, 40])
    func largeHeaders(count: Int) async throws {
        let header = "X-Filler: \(String(repeating: "x", count: 70_000 / count))\r\n"
        let headers = String(repeating: header, count: count)
        let answer = "HTTP/1.1 200 OK\r\n\(headers)Content-Length: 2\r\n\r\n{}"
        try await exchange([.readRequest, .send(answer)]) { transport, _ in
            #expect(await transport.send(.protected).unanswered == "headers over 64 KiB")
        }
    }

    @Test(
        "an answer without a body is whole",
        arguments: [
            ("GET", "HTTP/1.1 204 No Content\r\n\r\n", 204),
            ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304),
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 200),
            ("GET", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 401),
            ("POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", 204),
            ("GET", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n\(String.okAnswer)", 200),
        ]
    )
    func bodyless(method: String, answer: String, status: Int) async throws {
        try await exchange([.readRequest, .send(answer), .hold]) { transport, _ in
            let report = await transport.send(WireRequest(method: method, target: "/x"))
            #expect(report.answer?.status == status, "\(report.unanswered ?? "")")
        }
    }

    @Test("an answer that ends with its connection is whole")
    func endedByClose() async throws {
        try await exchange([.readRequest, .send("HTTP/1.0 200 OK\r\n\r\nwhole")]) { transport, _ in
            #expect(await transport.send(.protected).answer?.body == Array("whole".utf8))
        }
    }

    @Test("a redirect is an answer, and is not followed", arguments: [301, 302, 307, 308])
    func redirect(status: Int) async throws {
        let answer = "HTTP/1.1 \(status) Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
        try await exchange([.readRequest, .send(answer), .readRequest]) { transport, server in
            let report = await transport.send(.refresh)
            #expect(report.answer?.status == status)
            #expect(report.answer?.header("location") == "/elsewhere")
            #expect(server.requests.count == 1)
        }
    }
}
