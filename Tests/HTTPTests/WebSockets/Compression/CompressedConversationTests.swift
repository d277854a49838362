import Testing

@testable import HTTP

extension WebSocketCompression {
    /// Every combination of whether messages stand alone, with windows of several sizes.
    static let combinations: [WebSocketCompression] = [false, true].flatMap { server in
        [false, true].flatMap { client in
            [(9, 15), (12, 9), (15, 12)].map { bits in
                WebSocketCompression(
                    serverNoContextTakeover: server,
                    clientNoContextTakeover: client,
                    serverMaxWindowBits: bits.0,
                    clientMaxWindowBits: bits.1
                )
            }
        }
    }
}

@Suite("permessage-deflate over a socket", .timeLimit(.minutes(20)))
struct CompressedConversationTests {
    /// Messages that repeat each other, at distances within and beyond every window.
    private static let messages: [WebSocketEvent] =
        [0, 1, 100, 600, 40_000].flatMap { (size: Int) -> [WebSocketEvent] in
            let noise = (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 9) }
            let text = String(repeating: "κόσμε ", count: size / 11)
            return [.text(text), .binary(noise), .binary(noise + noise), .text(text)]
        }

    static func echo(_ connection: WebSocketConnection) async throws {
        var events = connection.events.makeAsyncIterator()
        for message in messages {
            switch message {
            case .text(let text): try await connection.send(text: text)
            case .binary(let bytes): try await connection.send(binary: bytes)
            case .ping, .pong, .closed: continue
            }
            #expect(await events.next() == message)
        }
    }

    @Test(
        "what the client offers and the server wants is agreed on, and every message arrives",
        arguments: WebSocketCompression.combinations,
        [WebSocketCompression(), WebSocketCompression.combinations[11]]
    )
    func agreed(offer: WebSocketCompression, terms: WebSocketCompression) async throws {
        try await withServer(compression: terms, serve: WebSocketConnection.echo) { port in
            let dialer = WebSocketDialer.unpredictable()
            let connection = try await dialer.open(.local(port, compression: offer))
            let agreed = try #require(connection.compression)
            let bits = min(offer.serverMaxWindowBits, terms.serverMaxWindowBits)
            #expect(agreed.serverMaxWindowBits == bits)
            try await Self.echo(connection)
            let traffic = try #require(await connection.traffic())
            #expect(traffic.content > traffic.compressed)
            #expect(await connection.close().clean)
        }
    }

    @Test(
        "without an offer, or a server that accepts it, nothing is compressed",
        arguments: [0, 1]
    )
    func none(side: Int) async throws {
        let terms = side == 0 ? nil : WebSocketCompression()
        let offer = side == 0 ? WebSocketCompression() : nil
        try await withServer(compression: terms, serve: WebSocketConnection.echo) { port in
            let dialer = WebSocketDialer.unpredictable()
            let connection = try await dialer.open(.local(port, compression: offer))
            #expect(connection.compression == nil)
            try await Self.echo(connection)
            #expect(await connection.traffic() == nil)
            #expect(await connection.close().clean)
        }
    }
}
