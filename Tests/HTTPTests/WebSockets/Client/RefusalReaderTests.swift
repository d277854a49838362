import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTP

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

    /// The parts of a body so far.
    private static func body(_ coding: String, _ parts: [[UInt8]]) throws -> [UInt8]? {
        let channel = EmbeddedChannel()
        let result = channel.eventLoop.makePromise(of: WebSocketDialResult.self)
        let reader = RefusalReader(result: result)
        try channel.pipeline.syncOperations.addHandler(reader)
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .unauthorized,
            headers: ["Content-Encoding": coding]
        )
        try channel.writeInbound(HTTPClientResponsePart.head(head))
        for part in parts {
            try channel.writeInbound(HTTPClientResponsePart.body(ByteBuffer(bytes: part)))
        }
        reader.expire()
        guard case .refused(401, _, let body) = try result.futureResult.wait() else { return nil }
        return body
    }

    private static let text = #"{"a":"b"}"#.bytes
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56,
        0x4A, 0x54, 0xB2, 0x52, 0x4A, 0x52, 0xAA, 0x05, 0x00, 0x9C, 0x5C, 0xF6,
        0x6B, 0x09, 0x00, 0x00, 0x00,
    ]

    @Test("is inflated if it comes compressed, and stays as it is in a coding that is not known")
    func compressed() throws {
        let parts = [Array(Self.gzip.prefix(7)), Array(Self.gzip.dropFirst(7))]
        #expect(try Self.body("gzip", parts) == Self.text)
        #expect(try Self.body("identity", [Self.text]) == Self.text)
        #expect(try Self.body("br", [Self.text]) == Self.text)
        #expect(try Self.body("gzip", [Self.text]) == [])
        #expect(try Self.body("gzip", [Array(Self.gzip.prefix(22)), Self.text]) != nil)
    }

    @Test("is bounded, whatever it becomes", arguments: ["identity", "deflate"])
    func bounded(coding: String) throws {
        let long = [UInt8](repeating: 0, count: 1 << 20)
        let deflater = Deflater(windowBits: 15, resetsContext: true)
        let part = coding == "deflate" ? deflater.deflate(long) : long
        #expect(try Self.body(coding, [part])?.count == 64 << 10)
    }
}
