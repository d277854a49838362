import NIOCore
import NIOPosix
import Testing

@testable import HTTP

/// The conformance suite's cases 3.2 to 3.4, 4.1.3, 4.1.4, 4.2.3, 4.2.4, 5.15 and 6.4.
@Suite("A violation after good messages", .timeLimit(.minutes(20)))
struct SettlingTests {
    struct Stream: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Frames with the key of a client, or without one.
        let bytes: @Sendable (_ mask: UInt32?) -> [UInt8]
        /// The messages that are answered.
        let good: [String]
        let code: UInt16
    }

    static let streams = [
        Stream(
            testDescription: "reserved bits",
            bytes: { mask in
                frame(1, "first".bytes, mask: mask)
                    + frame(1, "x".bytes, reserved: 2, mask: mask) + frame(9, mask: mask)
            },
            good: ["first"],
            code: 1002
        ),
        Stream(
            testDescription: "a data frame of an unknown kind",
            bytes: { frame(1, "first".bytes, mask: $0) + frame(5, mask: $0) + frame(9, mask: $0) },
            good: ["first"],
            code: 1002
        ),
        Stream(
            testDescription: "a control frame of an unknown kind",
            bytes: {
                frame(1, "1".bytes, mask: $0) + frame(1, "2".bytes, mask: $0) + frame(13, mask: $0)
            },
            good: ["1", "2"],
            code: 1002
        ),
        Stream(
            testDescription: "a continuation of nothing",
            bytes: { mask in
                open(1, "frag", mask) + frame(0, "ment".bytes, mask: mask) + open(0, "none", mask)
                    + frame(1, "last".bytes, mask: mask)
            },
            good: ["fragment"],
            code: 1002
        ),
        Stream(
            testDescription: "a fragment that is not UTF-8",
            bytes: { mask in
                frame(1, "whole".bytes, mask: mask) + open(1, "κόσμε", mask)
                    + frame(0, [0xF4, 0x90, 0x80, 0x80], mask: mask)
            },
            good: ["whole"],
            code: 1007
        ),
    ]

    @Test("a client's messages are answered before its mistake", arguments: streams, [true, false])
    func client(stream: Stream, isWhole: Bool) async throws {
        try await withServer(limits: .patient, serve: WebSocketConnection.echo) { port in
            let answer = try await withRawClient(on: port) { peer in
                try await peer.write(stream.bytes(7), isWhole: isWhole)
                return await peer.readToEnd()
            }
            let echoes = stream.good.flatMap { frame(1, $0.bytes) }
            #expect(Array(answer.prefix(echoes.count)) == echoes)
            let close = answer.dropFirst(echoes.count)
            #expect(close.first == 0x88)
            #expect(Array(close.dropFirst(2).prefix(2)) == [0x03, UInt8(stream.code - 768)])
        }
    }

    @Test("a server's messages are answered before its mistake", arguments: streams, [true, false])
    func server(stream: Stream, isWhole: Bool) async throws {
        let (answers, answering) = AsyncStream.makeStream(of: [UInt8].self)
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(Array(acceptance().bytes))
            try await peer.write(stream.bytes(nil), isWhole: isWhole)
            let echoes = stream.good.reduce(0) { $0 + frame(1, $1.bytes, mask: 0).count }
            answering.yield(try await peer.read(echoes + 8))
        } body: { port in
            let dialer = WebSocketDialer(
                group: .singletonMultiThreadedEventLoopGroup,
                limits: .patient,
                random: { 0 }
            )
            let connection = try await dialer.open(.local(port))
            await WebSocketConnection.echo(connection)
            #expect(await connection.end().code == stream.code)
            let answer = try #require(await answers.first { _ in true })
            let echoes = stream.good.flatMap { frame(1, $0.bytes, mask: 0) }
            #expect(Array(answer.prefix(echoes.count)) == echoes)
            let close = answer.dropFirst(echoes.count)
            #expect(close.first == 0x88)
            #expect(Array(close.dropFirst(6).prefix(2)) == [0x03, UInt8(stream.code - 768)])
        }
    }

    @Test("a reader that never comes back does not keep the connection")
    func stuckReader() async throws {
        let limits = WebSocketLimits(closeTimeout: .milliseconds(200))
        try await withServer(limits: limits) { connection in
            var events = connection.events.makeAsyncIterator()
            _ = await events.next()
            _ = await connection.end()
        } body: { port in
            try await withRawClient(on: port) { peer in
                try await peer.write(frame(1, "first".bytes, mask: 7) + frame(3, mask: 7))
                let answer = await peer.readToEnd()
                #expect(answer.first == 0x88)
                #expect(Array(answer.dropFirst(2).prefix(2)) == [0x03, 0xEA])
            }
        }
    }

    /// A frame that is not the last one of its message.
    private static func open(_ opcode: UInt8, _ text: String, _ mask: UInt32?) -> [UInt8] {
        frame(opcode, text.bytes, final: false, mask: mask)
    }
}

extension RawPeer {
    /// Writes the bytes at once, or one by one.
    fileprivate func write(_ bytes: [UInt8], isWhole: Bool) async throws {
        guard !isWhole else { return try await write(bytes) }
        // The other side may have closed before the last one.
        for byte in bytes { try? await write([byte]) }
    }
}
