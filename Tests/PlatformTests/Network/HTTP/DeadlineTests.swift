import Client
import Model
import Platform
import Profiles
import Testing

@testable import Basics

@Suite("Token transport: time limits", .timeLimit(.minutes(20)))
struct DeadlineTests {
    @Test(
        "an answer that does not come whole in time is unanswered",
        arguments: [
            [.readRequest, .hold],
            [.readRequest, .send("HTTP/1.1 200 OK\r\n"), .hold],
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), .hold],
        ] as [[ScriptedServer.Step]]
    )
    func slow(script: [ScriptedServer.Step]) async throws {
        let clock = VirtualTimekeeper()
        try await exchange(script, timekeeper: clock) { transport, server in
            async let sending = transport.send(.refresh, within: .seconds(20), by: clock)
            await server.waitForRequests(1)
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(20))
            let report = await sending
            #expect(report.unanswered?.hasSuffix("answer within 20 s") == true)
            #expect(report.endedAt.now - report.sentAt.now == .seconds(20))
        }
    }

    @Test("a connection that does not come in time is not sent")
    func slowConnection() async throws {
        let clock = VirtualTimekeeper()
        // TLS against a server that never says a word: connected, and yet nothing can be sent.
        try await ScriptedServer.run([[.hold]]) { server in
            try await withTestNetwork(timekeeper: clock) { network in
                let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                let transport = network.tokenTransport(to: origin)
                async let sending = transport.send(.refresh, within: .seconds(20), by: clock)
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(20))
                let message = await sending.notSent
                #expect(message == "no connection to 127.0.0.1:\(server.port) within 20 s")
            }
        }
    }

    @Test("the connect timeout comes before a later deadline, and is not sent")
    func connectTimeout() async throws {
        try await ScriptedServer.run([[.hold]]) { server in
            try await withTestNetwork(connectTimeout: .milliseconds(200)) { network in
                let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                let message = await network.tokenTransport(to: origin).send(.refresh).notSent
                #expect(message == "no connection to 127.0.0.1:\(server.port) within 0.2 s")
            }
        }
    }

    @Test("with no time left nothing is sent")
    func noTimeLeft() async throws {
        try await exchange([.readRequest]) { transport, server in
            #expect(await transport.send(.refresh, within: .zero).notSent != nil)
            #expect(server.connections == 0)
        }
    }

    @Test("a cancelled caller ends its request and its connection")
    func cancelled() async throws {
        try await exchange([.readRequest, .hold]) { transport, server in
            let sending = Task { await transport.send(.refresh) }
            await server.waitForRequests(1)
            sending.cancel()
            #expect(await sending.value.unanswered == "given up before an answer came")
        }
    }

    @Test("a caller that is cancelled already sends nothing")
    func cancelledBefore() async throws {
        try await exchange([.readRequest, .hold]) { transport, server in
            let sending = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await transport.send(.refresh)
            }
            #expect(await sending.value.notSent == "given up before the request was sent")
            #expect(server.requests.isEmpty)
        }
    }
}
