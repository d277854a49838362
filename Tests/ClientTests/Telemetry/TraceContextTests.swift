import FoundationEssentials
import Model
import Testing

@Suite("The context of a trace")
struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test(
        "is read from a field that has one",
        arguments: [
            ("00-\(trace)-\(span)-01", true), ("00-\(trace)-\(span)-00", false),
            ("00-\(trace)-\(span)-03", true), (" 00-\(trace)-\(span)-01\t", true),
            ("01-\(trace)-\(span)-01-more", true), ("cc-\(trace)-\(span)-01", true),
        ]
    )
    func valid(value: String, isSampled: Bool) {
        #expect(
            TraceContext(parsing: value)
                == TraceContext(trace: Self.trace, span: Self.span, isSampled: isSampled)
        )
    }

    @Test(
        "is not read from anything else",
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-0", "00-\(trace)-\(span)-0g",
            "ff-\(trace)-\(span)-01", "00-\(trace)-\(span)-01-more", "01-\(trace)-\(span)-01.more",
            "00-\(String(repeating: "0", count: 32))-\(span)-01",
            "00-\(trace)-\(String(repeating: "0", count: 16))-01",
            "00-\(trace.uppercased())-\(span)-01", "00_\(trace)_\(span)_01",
            "00-\(trace)\(span)--01", "0ä-\(trace)-\(span)-01",
            "01-\(trace)-\(span)-01-" + String(repeating: "x", count: 300),
        ]
    )
    func invalid(value: String) {
        #expect(TraceContext(parsing: value) == nil)
    }

    @Test("is the same after it was recorded, and is not read from a recording with another text")
    func recorded() throws {
        let context = TraceContext(trace: Self.trace, span: Self.span, isSampled: true)
        let data = try JSONEncoder().encode([context])
        #expect(String(decoding: data, as: UTF8.self) == #"["00-\#(Self.trace)-\#(Self.span)-01"]"#)
        #expect(try JSONDecoder().decode([TraceContext].self, from: data) == [context])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TraceContext].self, from: Data(#"["\u001b[2J"]"#.utf8))
        }
    }
}
