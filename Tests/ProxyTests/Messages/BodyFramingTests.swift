import Testing

@testable import Proxy

@Suite("Proxy: the framing of bodies")
struct BodyFramingTests {
    @Test(
        "a request's framing is certain, or a violation",
        arguments: [
            ([], 1, .success(BodyFraming.none)),
            ([("Content-Length", "7")], 1, .success(.length(7))),
            ([("Transfer-Encoding", "Chunked")], 1, .success(.chunked)),
            (
                [("Content-Length", "7"), ("Transfer-Encoding", "chunked")], 1,
                .failure(.contentLength)
            ),
            ([("Content-Length", "7"), ("content-length", "7")], 1, .failure(.contentLength)),
            ([("Content-Length", "7, 7")], 1, .failure(.contentLength)),
            ([("Content-Length", "+7")], 1, .failure(.contentLength)),
            ([("Content-Length", "-7")], 1, .failure(.contentLength)),
            ([("Content-Length", "0x7")], 1, .failure(.contentLength)),
            ([("Content-Length", "")], 1, .failure(.contentLength)),
            ([("Content-Length", "9999999999999999999")], 1, .failure(.contentLength)),
            ([("Transfer-Encoding", "gzip, chunked")], 1, .failure(.transferCoding)),
            ([("Transfer-Encoding", "chunked, chunked")], 1, .failure(.transferCoding)),
            ([("Transfer-Encoding", "xchunked")], 1, .failure(.transferCoding)),
            ([("Transfer-Encoding", "\u{b}chunked")], 1, .failure(.transferCoding)),
            ([("Transfer-Encoding", "chun\u{212A}ed")], 1, .failure(.transferCoding)),
            ([("Transfer-Encoding", "chunked\u{301}")], 1, .failure(.transferCoding)),
            ([("Transfer-Encoding", "")], 1, .failure(.transferCoding)),
            ([("Transfer-Encoding", "chunked")], 0, .failure(.transferCoding)),
        ] as [([(String, String)], Int, Result<BodyFraming, MessageViolation>)]
    )
    func requests(
        fields: [(String, String)],
        minorVersion: Int,
        expected: Result<BodyFraming, MessageViolation>
    ) {
        let request = RequestMessage(
            method: "POST",
            target: "/",
            minorVersion: minorVersion,
            fields: fields.map { HeadField($0.0, $0.1) }
        )
        let framing = Result { () throws(MessageViolation) in try BodyFraming(of: request) }
        #expect(framing == expected)
    }

    @Test(
        "an answer's framing depends on the request and the status",
        arguments: [
            ("GET", 200, [("Content-Length", "5")], .length(5)),
            ("GET", 200, [], .untilClose),
            ("HEAD", 200, [("Content-Length", "5")], .none),
            ("GET", 204, [("Content-Length", "5")], .none),
            ("GET", 304, [("Transfer-Encoding", "chunked")], .none),
            ("GET", 103, [("Content-Length", "5")], .none),
        ] as [(String, Int, [(String, String)], BodyFraming)]
    )
    func answers(
        method: String,
        status: Int,
        fields: [(String, String)],
        framing: BodyFraming
    ) throws {
        let request = RequestMessage(method: method, target: "/", minorVersion: 1, fields: [])
        let response = ResponseMessage(
            minorVersion: 1,
            status: status,
            reason: WireText(""),
            fields: fields.map { HeadField($0.0, $0.1) }
        )
        #expect(try BodyFraming(of: response, to: request) == framing)
    }

    @Test("chunks are followed to the end of the trailer, at any fragmentation")
    func chunks() throws {
        let text = "3;a=\"b\"\r\nabc\r\n00A\r\n0123456789\r\n0\r\nX-Sum: 1\r\nEmpty:\r\n\r\nnext"
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var scanner = BodyScanner(.chunked)
            var payload: [UInt8] = []
            var used = 0
            while !scanner.isComplete {
                let piece = Array(bytes[used..<min(used + size, bytes.count)])
                used += try scanner.scan(piece.span) { payload += piece[$0] }
            }
            #expect(String(decoding: bytes[used...], as: UTF8.self) == "next")
            #expect(String(decoding: payload, as: UTF8.self) == "abc0123456789")
            #expect(scanner.bytes == 13)
        }
    }

    @Test(
        "framing that could be read in two ways is a violation",
        arguments: [
            "3\nabc\r\n", "3 \r\nabc\r\n", " 3\r\nabc\r\n", "0x3\r\nabc\r\n", "\r\n", "g\r\n",
            "3\r\nabcd\r\n", "3\r\nabc\n", "3\rabc\r\n", "3;a\nb\r\nabc\r\n", "3;\u{0}\r\nabc\r\n",
            "1000000000000000\r\n", "+3\r\nabc\r\n", "0\r\nX\r\n\r\n", "0\r\n X: 1\r\n\r\n",
            "0\r\nX: 1\n\r\n", "0\r\n: 1\r\n\r\n", "-1\r\n", "0\r\nX : 1\r\n\r\n",
        ]
    )
    func badChunks(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: MessageViolation.chunk) {
            var scanner = BodyScanner(.chunked)
            _ = try scanner.scan(bytes.span) { _ in }
        }
    }
}
