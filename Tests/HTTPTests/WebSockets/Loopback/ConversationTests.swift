import NIOCore
import NIOPosix
import Testing

@testable import HTTP

@Suite("Our client and our server", .timeLimit(.minutes(20)))
struct ConversationTests {
    @Test(
        "messages of every size come back as they were",
        arguments: [0, 1, 125, 126, 0xFFFF, 0x10000, 1 << 20]
    )
    func echo(size: Int) async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            var events = connection.events.makeAsyncIterator()
            let text = String(repeating: "x", count: size)
            try await connection.send(text: text)
            #expect(await events.next() == .text(text))
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            try await connection.send(binary: bytes)
            #expect(await events.next() == .binary(bytes))
            #expect(await connection.close().clean)
        }
    }

    @Test("pings are answered in order, by either side, while a message is being sent")
    func pings() async throws {
        try await withServer { connection in
            try? await connection.ping([42])
            await WebSocketConnection.echo(connection)
        } body: { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            try await connection.send(binary: [UInt8](repeating: 1, count: 1 << 20))
            for number in 0..<10 as Range<UInt8> { try await connection.ping([number]) }
            var pongs: [UInt8] = []
            var pings: [[UInt8]] = []
            for await event in connection.events {
                if case .pong(let payload) = event { pongs += payload }
                if case .ping(let payload) = event { pings.append(payload) }
                if pongs.count == 10, !pings.isEmpty { break }
            }
            #expect(pongs == Array(0..<10))
            #expect(pings == [[42]])
            await connection.close()
        }
    }

    @Test("a ping carries at most 125 bytes")
    func longPing() async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            try await connection.ping([UInt8](repeating: 0, count: 125))
            await #expect(throws: WebSocketSendError.pingTooLong) {
                try await connection.ping([UInt8](repeating: 0, count: 126))
            }
            await connection.close()
        }
    }

    @Test("a slow reader loses nothing, and the sender waits for it")
    func slowReader() async throws {
        let count = 1000
        try await withServer { connection in
            for number in 0..<count { try? await connection.send(text: "\(number)") }
            await connection.close()
            for await _ in connection.events {}
        } body: { port in
            let limits = WebSocketLimits(queuedEvents: 2, queuedBytes: 100)
            let dialer = WebSocketDialer.unpredictable(limits: limits)
            let connection = try await dialer.open(.local(port))
            var next = 0
            for await event in connection.events {
                guard case .text(let text) = event else { continue }
                #expect(text == "\(next)")
                next += 1
            }
            #expect(next == count)
        }
    }

    @Test("a message over the limit fails the connection with 1009")
    func tooBig() async throws {
        try await withServer(
            limits: WebSocketLimits(maximumMessage: 100),
            serve: WebSocketConnection.echo
        ) { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            try await connection.send(text: String(repeating: "x", count: 101))
            var last: WebSocketEvent?
            for await event in connection.events { last = event }
            guard case .closed(let report) = last else {
                Issue.record("no end")
                return
            }
            #expect(report.code == 1009)
            #expect(report.initiator == .peer)
            #expect(report.clean)
        }
    }

    @Test("both may send at full speed without waiting for each other")
    func bothAtOnce() async throws {
        let bytes = [UInt8](repeating: 3, count: 1 << 20)
        let talk: @Sendable (WebSocketConnection) async -> Int = { connection in
            async let sent: Void = {
                for _ in 0..<20 { try? await connection.send(binary: bytes) }
            }()
            var received = 0
            for await event in connection.events {
                if case .binary(bytes) = event { received += 1 }
                if received == 20 { break }
            }
            await sent
            return received
        }
        try await withServer { connection in
            _ = await talk(connection)
            for await _ in connection.events {}
        } body: { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            #expect(await talk(connection) == 20)
            await connection.close()
        }
    }
}
