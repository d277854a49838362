import NIOCore
import Testing

@testable import Proxy

@Suite("Proxy: the parsing of heads")
struct HeadParserTests {
    @Test(
        "a head that could be read in two ways is a violation",
        arguments: [
            ("GET / HTTP/1.1\nHost: a\n\n", MessageViolation.lineEnd),
            ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", .lineEnd),
            ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .field),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .field),
            ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .field),
            ("GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n", .field),
            ("GET / HTTP/1.1\r\n: a\r\n\r\n", .field),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", .field),
            ("GET / HTTP/1.1\r\nX: a\0b\r\n\r\n", .field),
            ("GET /a b HTTP/1.1\r\n\r\n", .firstLine),
            ("GET  / HTTP/1.1\r\n\r\n", .firstLine),
            ("GET / HTTP/1.1 \r\n\r\n", .version),
            ("GET /\r\n\r\n", .firstLine),
            ("G(T / HTTP/1.1\r\n\r\n", .firstLine),
            ("GET /\u{7F} HTTP/1.1\r\n\r\n", .firstLine),
            ("GET / HTTP/2.0\r\n\r\n", .version),
            ("GET / HTTP/1.2\r\n\r\n", .version),
            ("GET / HTTP/1.01\r\n\r\n", .version),
            ("GET / http/1.1\r\n\r\n", .firstLine),
        ]
    )
    func violations(text: String, violation: MessageViolation) throws {
        #expect(throws: violation) { try Self.request(text) }
    }

    @Test("names, order and values of fields stay as they were")
    func fields() throws {
        let text =
            "QUERY /a%20b?c=\u{e9} HTTP/1.0\r\nhOST: a\r\nX-B:1\r\nx-b: \t 2 \t\r\nEmpty:\r\n\r\n"
        let request = try Self.request("\r\n" + text)
        #expect(request.method == "QUERY")
        #expect(request.target == "/a%20b?c=\u{e9}")
        #expect(request.minorVersion == 0)
        var buffer = ByteBuffer()
        request.write(into: &buffer)
        let written = text.replacing("X-B:1", with: "X-B: 1").replacing(" \t 2 \t", with: " 2")
            .replacing("Empty:", with: "Empty: ")
        #expect(String(buffer: buffer) == written)
    }

    @Test("a value that is not UTF-8 stays byte for byte")
    func latin1() throws {
        let bytes: [UInt8] =
            Array("HTTP/1.1 200 Tr\u{e8}s bon\r\nX-Name: Ren".utf8) + [0xE9]
            + Array("\r\n\r\n".utf8)
        let response = try HeadParser.response(bytes.span)
        #expect(response.fields[0].value == "Ren\u{e9}")
        #expect(Array(response.bytes.readableBytesView) == bytes)
    }

    @Test(
        "a status is three digits, and its reason may be missing",
        arguments: [
            ("HTTP/1.1 200 OK", 200), ("HTTP/1.1 200 ", 200), ("HTTP/1.1 299", 299),
            ("HTTP/1.1 099 A", nil), ("HTTP/1.1 20 OK", nil), ("HTTP/1.1 2000 OK", nil),
            ("HTTP/1.1  200 OK", nil), ("HTTP/3.0 200 OK", nil), ("ICY 200 OK", nil),
        ]
    )
    func statuses(line: String, status: Int?) {
        let bytes = Array("\(line)\r\n\r\n".utf8)
        #expect((try? HeadParser.response(bytes.span))?.status == status)
    }

    @Test("a head ends at its empty line, however it is fragmented")
    func fragments() throws {
        let bytes = Array("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nrest".utf8)
        var scanner = HeadScanner()
        var end: Int?
        for count in 1...bytes.count where end == nil {
            end = try scanner.end(in: bytes.span.extracting(first: count))
            #expect((end != nil) == (count == bytes.count - 4))
        }
        #expect(end == bytes.count - 4)
    }

    @Test("a head may have 64 KiB and no more")
    func limit() throws {
        func head(_ count: Int) -> [UInt8] {
            let line = "GET / HTTP/1.1\r\nX: "
            let end = "\r\n\r\n"
            return Array(line.utf8)
                + Array(repeating: 0x61, count: count - line.utf8.count - end.utf8.count)
                + Array(end.utf8)
        }
        var scanner = HeadScanner()
        #expect(try scanner.end(in: head(65_536).span) == 65_536)
        #expect(throws: MessageViolation.headTooLong) {
            var scanner = HeadScanner()
            _ = try scanner.end(in: head(65_537).span)
        }
    }

    private static func request(_ text: String) throws -> RequestMessage {
        let bytes = Array(text.utf8)
        var scanner = HeadScanner()
        let end = try #require(try scanner.end(in: bytes.span))
        return try HeadParser.request(bytes.span.extracting(first: end))
    }
}
