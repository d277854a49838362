import Basics
import NIOCore
import Observer
import Platform
import Testing

@testable import HTTP
@testable import Proxy

/// Messages in which bytes were changed, inserted and removed at random.
@Suite("Proxy: random messages")
struct RandomMessageTests {
    private static let requests = [
        "POST /a?b HTTP/1.1\r\nHost: localhost:9000\r\nTransfer-Encoding: chunked\r\n"
            + "Connection: close, X\r\nCookie: _Host-a=b; c\r\nOrigin: http://localhost:9000\r\n"
            + "TE: trailers\r\nAccept-Encoding: gzip;q=1, br\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n",
        "GET http://localhost:9000/ HTTP/1.0\r\nHost: localhost:9000\r\nContent-Length: 3\r\n\r\nabc",
    ]
    private static let answers = [
        "HTTP/1.1 302 Found\r\nLocation: https://api.example.com/v1/x\r\n"
            + "Set-Cookie: __Host-a=b; Path=/v1; Secure; SameSite=None\r\nRefresh: 1; url=/v1\r\n"
            + "Link: <https://api.example.com/v1/>; rel=a, <>\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nab",
    ]

    @Test("are read or refused, and what is read is written so that it is read again")
    func survive() throws {
        var random = SeededGenerator(seed: 20)
        let origin = try BackendOrigin(parsing: "https://api.example.com/v1")
        let rewriter = HeadRewriter(ProxiedOrigins([ProxiedOrigin(origin, port: 9000)]), index: 0)
        var understood = 0
        for round in 0..<4_000 {
            let request = Self.changed(Self.requests[round % 2], by: &random)
            if let (head, body) = Self.split(request),
                let message = try? HeadParser.request(head.span)
            {
                let result = rewriter.request(message, from: "127.0.0.1")
                var buffer = ByteBuffer()
                result.write(into: &buffer)
                #expect(try HeadParser.request(buffer.readableBytesUInt8Span) == result)
                _ = rewriter.localTarget(of: message)
                if let framing = try? BodyFraming(of: message) { Self.scan(body, framing) }
                understood += 1
            }
            let answer = Self.changed(Self.answers[round % 2], by: &random)
            if let (head, body) = Self.split(answer),
                let message = try? HeadParser.response(head.span)
            {
                let asked = RequestMessage(method: "GET", target: "/", minorVersion: 1, fields: [])
                let result = rewriter.response(message, to: asked)
                #expect(try HeadParser.response(result.bytes.readableBytesUInt8Span) == result)
                if let framing = try? BodyFraming(of: message, to: asked) {
                    Self.scan(body, framing)
                }
                understood += 1
            }
        }
        #expect(understood > 1_000)
    }

    @Test("frames and metadata of any bytes do no harm")
    func frames() {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<2_000 {
            var bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes[0] &= 0xCF
            for side in [TrafficSide.app, .backend] {
                for compression in [nil, AgreedCompression()] {
                    var tap = SocketTap(from: side, compression: compression)
                    tap.read(bytes.span) { _ in }
                    tap.read(bytes.span) { _ in }
                }
            }
            let json = bytes.map { #"{}[]":,\/x "#.utf8.map { $0 }[Int($0) % 11] }
            #expect(DiscoveryDocument.rewriting(json) { _ in nil } == json)
        }
    }

    private static func changed(_ text: String, by random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            let byte = UInt8.random(in: 0...255, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = byte
            case 1: bytes.insert(byte, at: index)
            default: bytes.remove(at: index)
            }
        }
        return bytes
    }

    private static func split(_ bytes: [UInt8]) -> (head: [UInt8], body: [UInt8])? {
        var scanner = HeadScanner()
        guard let end = try? scanner.end(in: bytes.span) else { return nil }
        return (Array(bytes[..<end]), Array(bytes[end...]))
    }

    private static func scan(_ body: [UInt8], _ framing: BodyFraming) {
        var scanner = BodyScanner(framing)
        let used = try? scanner.scan(body.span) { _ in }
        #expect(used ?? 0 <= body.count)
    }
}
