import Basics
import CZlib
import HTTP

/// Messages as a server sends them, in pieces of 16 KiB, as a socket brings them.
private struct MessageStream {
    private static let piece = 16 << 10
    static let messages = (0..<20_000).map { number in
        let text = #"{"seq":\#(number),"type":"post.created","title":"Sunset over the Rhine","#
        return Array((text + #""by":"someone","likes":42}"#).utf8)
    }

    let pieces: [[UInt8]]
    let size: Int

    /// - Parameter encode: Encodes a message.
    init(_ encode: ([UInt8]) -> [UInt8]) {
        let bytes = Self.messages.flatMap(encode)
        size = bytes.count
        pieces = stride(from: 0, to: size, by: Self.piece).map {
            Array(bytes[$0..<min($0 + Self.piece, bytes.count)])
        }
    }

    /// The rate at which messages become strings, without anything to find them by.
    static func strings(_ time: Stopwatch) -> String {
        var length = 0
        let copying = time.spread(of: 7) {
            for message in messages {
                length += String(decoding: message, as: UTF8.self).utf8.count
            }
        }
        precondition(length > 0)
        return "only strings of them: \(thousands(copying.rate(of: messages.count)))/s"
    }
}

/// The parsers that turn the feed's bytes into messages.
func measureParsers(_ time: Stopwatch) {
    measureWebSocket(time)
    measureInflater(time)
    measureEventStream(time)
    measureKnownTokens(time)
}

private func measureWebSocket(_ time: Stopwatch) {
    let stream = MessageStream { [0x81, UInt8($0.count)] + $0 }
    var count = 0
    let parsing = time.spread(of: 7) {
        count = 0
        var codec = WebSocketCodec(expectsMask: false, limits: WebSocketLimits())
        for piece in stream.pieces {
            var offset = 0
            while (try? codec.next(in: piece.span, from: &offset)) != nil { count += 1 }
        }
    }
    precondition(count == MessageStream.messages.count, "only \(count) messages were parsed")
    row("WebSocket messages parsed", rate(of: parsing, stream), MessageStream.strings(time))
}

private func measureInflater(_ time: Stopwatch) {
    let deflater = Deflater(windowBits: 15, resetsContext: false)
    let messages = MessageStream.messages.map(deflater.deflate)
    let plainSize = MessageStream.messages.reduce(0) { $0 + $1.count }
    var size = 0
    let inflating = time.spread(of: 7) {
        size = 0
        let inflater = Inflater(.messages(resetsContext: false))
        for message in messages {
            try? inflater.inflate(message) { (content) throws(WebSocketFailure) in
                size += content.count
            }
            try? inflater.finishMessage { (content) throws(WebSocketFailure) in
                size += content.count
            }
        }
    }
    precondition(size == plainSize, "only \(size) bytes were inflated")
    let bare = time.spread(of: 7) { inflateBare(messages) }
    row(
        "compressed messages inflated",
        "\(Int(inflating.rate(of: size) / 1e6)) MB/s",
        "bare zlib: \(Int(bare.rate(of: size) / 1e6)) MB/s"
    )
}

/// Inflates with zlib alone, into the same memory again and again.
private func inflateBare(_ messages: [[UInt8]]) {
    var stream = z_stream()
    guard cz_inflate_init(&stream, 15) == Z_OK else { return }
    defer { inflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: 16 << 10)
    for message in messages {
        var input = message + [0x00, 0x00, 0xFF, 0xFF]
        input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = CUnsignedInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = CUnsignedInt(output.count)
                _ = inflate(&stream, Z_SYNC_FLUSH)
            }
        }
    }
}

private func measureEventStream(_ time: Stopwatch) {
    let stream = MessageStream { Array("data: ".utf8) + $0 + Array("\n\n".utf8) }
    var count = 0
    let parsing = time.spread(of: 7) {
        count = 0
        var parser = EventStreamParser()
        for piece in stream.pieces { try? parser.read(piece) { _ in count += 1 } }
    }
    precondition(count == MessageStream.messages.count, "only \(count) events were parsed")
    row("server-sent events parsed", rate(of: parsing, stream), MessageStream.strings(time))
}

private func rate(of parsing: Spread, _ stream: MessageStream) -> String {
    "\(thousands(parsing.rate(of: MessageStream.messages.count)))/s, "
        + "\(Int(parsing.rate(of: stream.size) / 1e6)) MB/s"
}

/// The search of what an app sends for the tokens that it was given, which are JWTs that begin alike.
private func measureKnownTokens(_ time: Stopwatch) {
    let claims = String(repeating: "eyJzdWIiOiJhZGEi", count: 40)
    let tokens = (100_000..<120_000).map { "eyJhbGciOiJIUzI1NiJ9.\(claims).\($0)" }
    var known = KnownTokens()
    for token in tokens { known.add(Secret(token)) }
    let texts = tokens.prefix(2_000).map {
        "{\"a\":[1,2,3],\"authorization\":\"Bearer \($0)\",\"b\":\"c%2Fd\"}"
    }
    let size = texts.reduce(0) { $0 + $1.utf8.count }
    var found = 0
    let searching = time.spread(of: 7) {
        found = texts.reduce(0) { $0 + known.tokens(in: $1).count }
    }
    precondition(found == texts.count, "only \(found) tokens were found")
    let figure =
        "\(thousands(searching.rate(of: texts.count)))/s, \(Int(searching.rate(of: size) / 1e6)) MB/s"
    row("texts searched for 20 000 known tokens", figure)
}
