import Basics

/// Where a span belongs: its trace and itself, as W3C Trace Context (level 1) names them.
package struct TraceContext: Sendable, Hashable {
    /// 32 hexadecimal digits.
    package let trace: String
    /// 16 hexadecimal digits.
    package let span: String
    /// Whether the caller records the trace.
    package let isSampled: Bool

    package init(trace: String, span: String, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// Parses the value of `traceparent`; `nil` for what is none (section 3.2).
    ///
    /// A version that is not known is read as far as the one that is.
    package init?(parsing value: String) {
        let bytes = Array(value.trimmingBlanks.utf8)
        let isNewer = bytes.count > 55
        guard bytes.count >= 55, bytes.prefix(55).enumerated().allSatisfy(Self.isExpected),
            !isNewer || (bytes[55] == UInt8(ascii: "-") && bytes.count <= Self.limit)
        else { return nil }
        let parts = value.trimmingBlanks.parts(at: "-").map(String.init)
        let (version, trace, span) = (parts[0], parts[1], parts[2])
        guard version != "ff", version != "00" || !isNewer, trace.isValidID, span.isValidID,
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1)
    }

    private static let limit = 256

    /// Whether a byte may be at its place: `00-…-…-00`, in lower case.
    private static func isExpected(_ place: Int, _ byte: UInt8) -> Bool {
        if [2, 35, 52].contains(place) { return byte == UInt8(ascii: "-") }
        return byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

/// In a recording it is the text of a `traceparent`.
extension TraceContext: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let context = TraceContext(parsing: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "")
        }
        self = context
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("00-\(trace)-\(span)-\(isSampled ? "01" : "00")")
    }
}

extension String {
    /// Whether it is another number than zero, which stands for none.
    fileprivate var isValidID: Bool { utf8.contains { $0 != UInt8(ascii: "0") } }
}
