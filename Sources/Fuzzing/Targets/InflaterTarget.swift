@testable import HTTP

/// Compressed bytes: a byte of settings, one for the size of the pieces, then the bytes, which are
/// a message, or a body.
enum InflaterTarget: FuzzTarget {
    static let name = "inflater"

    /// The largest number of bytes that DEFLATE can make of one byte.
    private static let greatestRatio = 1032

    private struct Content: Equatable {
        var bytes: [UInt8] = []
        var hasFailed = false
    }

    static func read(_ bytes: [UInt8]) {
        guard bytes.count > 2 else { return }
        let stream = Array(bytes.dropFirst(2))
        let whole = content(of: stream, in: stream.count, flags: bytes[0])
        let pieces = content(of: stream, in: 1 + Int(bytes[1]), flags: bytes[0])
        require(whole == pieces, "cuts make no difference")
        let messages = bytes[0] & 4 != 0 ? 2 : 1
        require(
            whole.bytes.count <= (stream.count + 4) * messages * greatestRatio,
            "no more comes out than DEFLATE can hold"
        )
    }

    private static func content(of stream: [UInt8], in size: Int, flags: UInt8) -> Content {
        let formats: [Inflater.Format] = [
            .messages(resetsContext: false), .messages(resetsContext: true), .headed, .raw,
        ]
        let isMessage = flags & 2 == 0
        let inflater = Inflater(formats[Int(flags & 3)])
        var content = Content()
        do throws(WebSocketFailure) {
            // A second message may refer to the first.
            for _ in 0..<(flags & 4 != 0 ? 2 : 1) {
                for start in Swift.stride(from: 0, to: stream.count, by: size) {
                    let piece = Array(stream[start..<min(start + size, stream.count)])
                    try inflater.inflate(piece) { content.bytes.append(copying: $0) }
                }
                if isMessage { try inflater.finishMessage { content.bytes.append(copying: $0) } }
            }
        } catch {
            content.hasFailed = true
        }
        return content
    }
}

extension [UInt8] {
    fileprivate mutating func append(copying bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}
