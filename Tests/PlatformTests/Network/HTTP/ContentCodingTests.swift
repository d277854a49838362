import Client
import Model
import Platform
import Profiles
import Testing

@testable import HTTP

@Suite("Token transport: compressed bodies", .timeLimit(.minutes(20)))
struct ContentCodingTests {
    private static let text = #"{"a":"b"}"#
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56,
        0x4A, 0x54, 0xB2, 0x52, 0x4A, 0x52, 0xAA, 0x05, 0x00, 0x9C, 0x5C, 0xF6,
        0x6B, 0x09, 0x00, 0x00, 0x00,
    ]
    private static let zlib: [UInt8] = [
        0x78, 0x9C, 0xAB, 0x56, 0x4A, 0x54, 0xB2, 0x52, 0x4A, 0x52, 0xAA, 0x05,
        0x00, 0x0C, 0x70, 0x02, 0x7E,
    ]
    private static let raw: [UInt8] = [
        0xAB, 0x56, 0x4A, 0x54, 0xB2, 0x52, 0x4A, 0x52, 0xAA, 0x05, 0x00,
    ]

    private static func script(_ coding: String, _ body: [UInt8]) -> [ScriptedServer.Step] {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        // In two reads.
        return [
            .readRequest, .send(head), .sendRaw(Array(body.prefix(5))),
            .sendRaw(Array(body.dropFirst(5))), .hold,
        ]
    }

    @Test("none is asked for, unless the dialect does")
    func asked() async throws {
        try await exchange([.readRequest, .send(.okAnswer), .hold]) { transport, server in
            _ = await transport.send(.protected)
            var request = WireRequest.protected
            request.headers.append(WireHeader("accept-encoding", "br"))
            _ = await transport.send(request)
            let lines = server.requests.map { $0.split(separator: "\r\n") }
            let asked = lines.map { $0.filter { $0.lowercased().hasPrefix("accept-encoding") } }
            #expect(asked == [["Accept-Encoding: identity"], ["accept-encoding: br"]])
        }
    }

    @Test(
        "a body that comes compressed all the same is read",
        arguments: [
            ("gzip", gzip), ("X-GZIP", gzip), ("identity, gzip", gzip), ("deflate", zlib),
            ("deflate", raw), ("identity", Array(text.utf8)), ("br", Array(text.utf8)),
        ]
    )
    func read(coding: String, body: [UInt8]) async throws {
        try await exchange(Self.script(coding, body)) { transport, _ in
            let report = await transport.send(.refresh)
            #expect(report.answer?.body == Array(Self.text.utf8), "\(report.unanswered ?? "")")
        }
    }

    @Test("the limit of a body is that of what it becomes")
    func bomb() async throws {
        let deflater = Deflater(windowBits: 15, resetsContext: true)
        let body = deflater.deflate([UInt8](repeating: 32, count: 2 << 20))
        #expect(body.count < 20_000)
        try await exchange(Self.script("deflate", body)) { transport, _ in
            #expect(await transport.send(.refresh).unanswered == "body over 1 MiB")
        }
    }

    @Test(
        "a body that is not what its coding says is no answer",
        arguments: [
            ("gzip", Array(text.utf8)),
            ("gzip", gzip.dropLast(8) + [UInt8](repeating: 0, count: 8)), ("deflate", gzip),
        ]
    )
    func broken(coding: String, body: [UInt8]) async throws {
        try await exchange(Self.script(coding, body)) { transport, _ in
            let report = await transport.send(.refresh)
            let said = "body that its Content-Encoding does not describe"
            #expect(report.unanswered == said, "\(report.answer?.body ?? [])")
        }
    }
}
