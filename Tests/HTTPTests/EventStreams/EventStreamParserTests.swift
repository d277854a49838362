import Testing

@testable import HTTP

@Suite("Event streams: parsing")
struct EventStreamParserTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stream: [UInt8]
        let parts: [EventStreamPart]

        init(_ testDescription: String, _ stream: String, _ parts: [EventStreamPart]) {
            self.init(testDescription, Array(stream.utf8), parts)
        }

        init(_ testDescription: String, _ stream: [UInt8], _ parts: [EventStreamPart]) {
            self.testDescription = testDescription
            self.stream = stream
            self.parts = parts
        }
    }

    private static func event(
        _ data: String,
        id: String? = nil,
        type: String? = nil
    ) -> EventStreamPart {
        .event(StreamedEvent(id: id, type: type, data: data))
    }

    static let samples = [
        Sample("one line of data", "data: a\n\n", [event("a")]),
        Sample("lines of data are joined", "data: a\ndata: b\n\n", [event("a\nb")]),
        Sample(
            "line feeds, returns and both",
            "data: a\r\rdata: b\r\n\r\ndata: c\n\n",
            [
                event("a"), event("b"), event("c"),
            ]
        ),
        Sample(
            "only the first space is dropped",
            "data:a\n\ndata:  a\n\n",
            [
                event("a"), event(" a"),
            ]
        ),
        Sample(
            "a field without a colon is empty",
            "data\n\ndata\ndata\n\n",
            [
                event(""), event("\n"),
            ]
        ),
        Sample(
            "a type and an id",
            "id: 7\nevent: added\ndata: x\n\n",
            [
                event("x", id: "7", type: "added")
            ]
        ),
        Sample(
            "neither is inherited",
            "id: 7\nevent: added\ndata: x\n\ndata: y\n\n",
            [
                event("x", id: "7", type: "added"), event("y"),
            ]
        ),
        Sample("an id without data is a position", "id: 8\n\n", [.position("8")]),
        Sample(
            "an empty id forgets the position",
            "id\ndata: x\n\n",
            [
                .position(""), event("x"),
            ]
        ),
        Sample("an id with U+0000 is ignored", "id: a\u{0}b\ndata: x\n\n", [event("x")]),
        Sample("a type without data is no event", "event: a\n\ndata: x\n\n", [event("x")]),
        Sample("a comment", ": still here\n\n:\ndata: x\n\n", [.comment, .comment, event("x")]),
        Sample(
            "a reconnection time",
            "retry: 2500\nretry: -1\nretry: 1s\nretry:\n",
            [
                .reconnectionTime(2500)
            ]
        ),
        Sample(
            "one that is out of range",
            "retry: 99999999999999999999\n",
            [
                .reconnectionTime(.max)
            ]
        ),
        Sample("unknown fields are ignored", "x: 1\nDATA: 1\n data: 1\ndata: 2\n\n", [event("2")]),
        Sample("what is incomplete is no event", "data: a\n\ndata: b\n", [event("a")]),
        Sample("a byte order mark at the beginning", "\u{FEFF}data: a\n\n", [event("a")]),
        Sample("but not later", "data: a\n\n\u{FEFF}data: b\n\n", [event("a")]),
        Sample("nor two of them", "\u{FEFF}\u{FEFF}data: a\n\n", []),
        Sample(
            "text in any script",
            "event: é\ndata: \u{1F600} 漢字\n\n",
            [
                event("\u{1F600} 漢字", type: "é")
            ]
        ),
        Sample(
            "what is not UTF-8",
            Array("data: a".utf8) + [0xFF, 0xC3] + Array("b\n\n".utf8),
            [
                event("a\u{FFFD}\u{FFFD}b")
            ]
        ),
        Sample("a colon in the value", "data: {\"a\":1}\n\n", [event("{\"a\":1}")]),
    ]

    @Test("the parts are those of the standard, wherever the stream is cut", arguments: samples)
    func chunking(sample: Sample) throws {
        #expect(try parts(of: [sample.stream]) == sample.parts)
        #expect(try parts(of: sample.stream.map { [$0] }) == sample.parts, "byte by byte")
        for cut in sample.stream.indices {
            let pieces = [Array(sample.stream[..<cut]), [], Array(sample.stream[cut...])]
            #expect(try parts(of: pieces) == sample.parts, "cut at \(cut)")
        }
    }

    @Test(
        "a line or an event over the limit ends the stream",
        arguments: [
            "data: 0123456789\n", ": 01234567890123", "data: 012345\ndata: 012345\n",
            String(repeating: "data\n", count: 17),
        ]
    )
    func limits(stream: String) {
        let bytes = Array(stream.utf8)
        #expect(throws: EventStreamError.tooLarge) { try parts(of: [bytes], limit: 12) }
        #expect(throws: EventStreamError.tooLarge) {
            try parts(of: bytes.map { [$0] }, limit: 12)
        }
    }

    @Test("what just fits passes, and the limit is each event's own")
    func withinLimit() throws {
        let stream = Array(String(repeating: "data: 012345\n\n", count: 20).utf8)
        #expect(try parts(of: [stream], limit: 12).count == 20)
    }

    @Test(
        "what is written is read",
        arguments: ["", "a", "a\nb", "\n", " a", "a\n\u{301}b", "{\"a\":[1,2]}"]
    )
    func written(data: String) throws {
        let event = StreamedEvent(id: "1-2", type: "post.created", data: data)
        #expect(try parts(of: [Array(event.text.utf8)]) == [.event(event)])
    }

    private func parts(
        of pieces: [[UInt8]],
        limit: Int = EventStreamParser.limit
    ) throws -> [EventStreamPart] {
        var parser = EventStreamParser(limit: limit)
        var parts: [EventStreamPart] = []
        for piece in pieces { try parser.read(piece) { parts.append($0) } }
        return parts
    }
}
