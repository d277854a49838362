/// Frames of HTTP/2 as bytes, right or wrong.
enum HTTP2Bytes {
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate
        case continuation, alternativeService
        case origin = 12
        case unknown = 250
    }

    static let settings = frame(.settings)
    static let maximum: UInt32 = 0x7FFF_FFFF

    static func frame(
        _ kind: Kind,
        flags: UInt8 = 0,
        stream: UInt32 = 0,
        _ payload: [UInt8] = []
    ) -> [UInt8] {
        Array(bytes(UInt32(payload.count)).dropFirst()) + [kind.rawValue, flags] + bytes(stream)
            + payload
    }

    static func headers(
        _ stream: UInt32,
        _ fields: KeyValuePairs<String, String>,
        endsStream: Bool = false
    ) -> [UInt8] {
        frame(.headers, flags: endsStream ? 5 : 4, stream: stream, block(Array(fields)))
    }

    static func data(_ stream: UInt32, _ text: String, endsStream: Bool = true) -> [UInt8] {
        frame(.data, flags: endsStream ? 1 : 0, stream: stream, Array(text.utf8))
    }

    static func goAway(last stream: UInt32, code: UInt32, _ text: String = "") -> [UInt8] {
        frame(.goAway, bytes(stream) + bytes(code) + Array(text.utf8))
    }

    static func windowUpdate(_ stream: UInt32, by increment: UInt32) -> [UInt8] {
        frame(.windowUpdate, stream: stream, bytes(increment))
    }

    static func setting(_ name: UInt16, _ value: UInt32) -> [UInt8] {
        frame(.settings, [UInt8(name >> 8), UInt8(name & 0xFF)] + bytes(value))
    }

    /// A whole answer to the request of a stream.
    static func answer(_ stream: UInt32) -> [UInt8] {
        headers(stream, [":status": "200", "content-type": "application/json"])
            + data(stream, "{}")
    }

    /// Fields without compression: literals that are not indexed (RFC 7541, section 6.2.2).
    static func block(_ fields: [(key: String, value: String)]) -> [UInt8] {
        fields.flatMap { [0] + string(Array($0.key.utf8)) + string(Array($0.value.utf8)) }
    }

    private static func string(_ text: [UInt8]) -> [UInt8] {
        guard text.count >= 127 else { return [UInt8(text.count)] + text }
        var length = text.count - 127
        var prefix: [UInt8] = [127]
        while length >= 128 {
            prefix.append(UInt8(length % 128 + 128))
            length /= 128
        }
        return prefix + [UInt8(length)] + text
    }

    static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
