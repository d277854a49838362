import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import HTTP

/// Counts the reads that reach the transport.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var reads = 0

    func read(context: ChannelHandlerContext) {
        reads += 1
        context.read()
    }
}

private struct WeakQueue {
    weak var value: WebSocketEventQueue?
}

@Suite("Back-pressure")
struct BackPressureTests {
    /// A server's connection on a transport without a network, which asks for reads by hand.
    private struct Bench {
        let channel = NIOAsyncTestingChannel()
        let connection: WebSocketConnection
        let counter: NIOLoopBound<ReadCounter>

        init(limits: WebSocketLimits) async throws {
            let channel = channel
            (connection, counter) = try await channel.testingEventLoop.executeInContext {
                let counter = ReadCounter()
                try channel.pipeline.syncOperations.addHandler(counter)
                let connection = try WebSocketConnection(on: channel, role: .server, limits: limits)
                return (connection, NIOLoopBound(counter, eventLoop: channel.eventLoop))
            }
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        }

        func arrive(_ bytes: [UInt8]) async throws {
            try await channel.writeInbound(ByteBuffer(bytes: bytes))
        }

        /// Reads that went through, of those the channel asked for since the last time.
        func reads(asking: Bool) async throws -> Int {
            try await channel.testingEventLoop.executeInContext {
                counter.value.reads = 0
                if asking { channel.read() }
                return counter.value.reads
            }
        }

        /// Reads that went through since `reads(asking:)`.
        var readsSoFar: Int {
            get async throws {
                try await channel.testingEventLoop.executeInContext { counter.value.reads }
            }
        }
    }

    private static func messages(_ numbers: Range<Int>) -> [UInt8] {
        numbers.flatMap { frame(1, "\($0)".bytes, mask: 0x0BAD_CAFE) }
    }

    @Test("a full queue stops reading, and an emptied one goes on where it stopped")
    func stopsReading() async throws {
        let bench = try await Bench(limits: WebSocketLimits(queuedEvents: 4))
        try await bench.arrive(Self.messages(0..<3))
        #expect(try await bench.reads(asking: true) == 1)
        try await bench.arrive(Self.messages(3..<10))
        #expect(try await bench.reads(asking: true) == 0)

        var events = bench.connection.events.makeAsyncIterator()
        for number in 0..<10 {
            #expect(await events.next() == .text("\(number)"))
        }
        #expect(try await bench.reads(asking: true) == 1)
    }

    @Test("a read that was held back goes through once there is room")
    func heldRead() async throws {
        let bench = try await Bench(limits: WebSocketLimits(queuedEvents: 2))
        try await bench.arrive(Self.messages(0..<2))
        #expect(try await bench.reads(asking: true) == 0)
        var events = bench.connection.events.makeAsyncIterator()
        _ = await events.next()
        #expect(try await bench.readsSoFar == 1)
    }

    @Test("messages in quick succession are read together, unless a pong is awaited")
    func pacedReads() async throws {
        let bench = try await Bench(limits: WebSocketLimits(readInterval: .milliseconds(4)))
        try await bench.arrive(Self.messages(0..<1))
        #expect(try await bench.reads(asking: true) == 1)
        try await bench.arrive(Self.messages(1..<2))
        #expect(try await bench.reads(asking: true) == 0)
        await bench.channel.testingEventLoop.advanceTime(by: .milliseconds(4))
        #expect(try await bench.readsSoFar == 1)

        try await bench.arrive(Self.messages(2..<3))
        #expect(try await bench.reads(asking: true) == 0)
        try await bench.connection.ping()
        #expect(try await bench.readsSoFar == 1)
        try await bench.arrive(Self.messages(3..<4))
        #expect(try await bench.reads(asking: true) == 1)
        try await bench.arrive(frame(10, [], mask: 1))
        #expect(try await bench.reads(asking: true) == 0)
    }

    @Test("what has arrived is read together, as much as is asked for")
    func together() async throws {
        let bench = try await Bench(limits: WebSocketLimits())
        try await bench.arrive(Self.messages(0..<5))
        let first = await bench.connection.events.next(atMost: 3)
        #expect(first == (0..<3).map { .text("\($0)") })
        let rest = await bench.connection.events.next(atMost: 3)
        #expect(rest == (3..<5).map { .text("\($0)") })
    }

    @Test("what came before the end of the transport is read before the end is told")
    func endWaits() async throws {
        let bench = try await Bench(limits: WebSocketLimits(queuedEvents: 2))
        try await bench.arrive(Self.messages(0..<7))
        try await bench.channel.close()
        var texts: [String] = []
        var reports: [WebSocketCloseReport] = []
        for await event in bench.connection.events {
            switch event {
            case .text(let text): texts.append(text)
            case .closed(let report): reports.append(report)
            case .binary, .ping, .pong: Issue.record("\(event)")
            }
        }
        #expect(texts == (0..<7).map { "\($0)" })
        #expect(reports.map(\.code) == [1006])
    }

    @Test("close does not wait for the reader")
    func closeIsHurried() async throws {
        let bench = try await Bench(limits: WebSocketLimits(queuedEvents: 2))
        try await bench.arrive(
            Self.messages(0..<7) + frame(8, [0x03, 0xE9], mask: 1)
        )
        let report = await bench.connection.close()
        #expect(report.code == 1001)
        #expect(report.clean)
    }

    @Test("what is dropped after our close frame leaves no gap")
    func dropsTheRest() async throws {
        let bench = try await Bench(limits: WebSocketLimits(queuedEvents: 2))
        async let report = bench.connection.close()
        _ = try await bench.channel.waitForOutboundWrite(as: ByteBuffer.self)
        try await bench.arrive(Self.messages(0..<3))
        var events = bench.connection.events.makeAsyncIterator()
        #expect(await events.next() == .text("0"))
        try await bench.arrive(Self.messages(3..<4) + frame(8, [0x03, 0xE9], mask: 1))
        #expect(await report.code == 1001)
        #expect(await events.next() == .text("1"))
        guard case .closed? = await events.next() else {
            Issue.record("a message came after one that was dropped")
            return
        }
    }

    @Test("a connection whose reader left before the end is let go with it")
    func abandoned() async throws {
        let queue = WeakQueue(value: try await leftUnread())
        try await eventually("the end of the queue") { queue.value == nil }
    }

    /// The events of a connection without an owner.
    private func leftUnread() async throws -> WebSocketEventQueue {
        let bench = try await Bench(limits: WebSocketLimits(queuedEvents: 2))
        try await bench.arrive(Self.messages(0..<7))
        try await bench.channel.close()
        return bench.connection.events.queue
    }
}
