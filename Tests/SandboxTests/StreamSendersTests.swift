import Backend
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import Testing

@testable import Sandbox

@Suite("Sandbox: who sends on an event stream", .timeLimit(.minutes(20)))
struct StreamSendersTests {
    @Test("waits for its own piece, also while others send")
    func several() async throws {
        let stream = ServedEventStream(on: NIOAsyncTestingChannel())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seq in 1...20 as ClosedRange<Int64> {
                group.addTask { try await stream.send("{}", numbered: seq, of: 1) }
                group.addTask { try await stream.sendKeepAlive() }
            }
            let writing = Task {
                var writer: any ResponseBodyWriter = SlowWriter()
                return await stream.write(to: &writer)
            }
            try await group.waitForAll()
            _ = await stream.close(with: FeedClose(code: 1000, reason: ""))
            #expect(await writing.value)
        }
    }

    @Test("is told when the stream is over before its piece is written")
    func unwritten() async {
        let stream = ServedEventStream(on: NIOAsyncTestingChannel())
        let senders = (0..<2).map { _ in Task { try await stream.sendKeepAlive() } }
        stream.finish()
        for sender in senders {
            await #expect(throws: ChannelError.self) { try await sender.value }
        }
    }
}

private struct SlowWriter: ResponseBodyWriter {
    mutating func write(_ buffer: ByteBuffer) async throws {
        for _ in 0..<10 { await Task.yield() }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
