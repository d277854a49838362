import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import WebSockets

@Suite("A refusal that is not read to its end")
struct RefusalReaderTests {
    enum End: CaseIterable { case timeIsUp, transport, error }

    @Test("what has come of it is told", arguments: End.allCases)
    func partial(end: End) throws {
        let channel = EmbeddedChannel()
        let result = channel.eventLoop.makePromise(of: WebSocketDialResult.self)
        let reader = RefusalReader(result: result)
        try channel.pipeline.syncOperations.addHandler(reader)
        let headers: HTTPHeaders = ["X-Why": "because"]
        try channel.writeInbound(
            HTTPClientResponsePart.head(
                HTTPResponseHead(version: .http1_1, status: .forbidden, headers: headers)
            )
        )
        try channel.writeInbound(HTTPClientResponsePart.body(ByteBuffer(string: "exp")))
        switch end {
        case .timeIsUp: reader.expire()
        case .transport: channel.pipeline.fireChannelInactive()
        case .error: channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        }
        guard case .refused(403, let headers, let body) = try result.futureResult.wait() else {
            Issue.record("open")
            return
        }
        #expect(headers.contains { $0 == ("X-Why", "because") })
        #expect(body == "exp".bytes)
    }
}
