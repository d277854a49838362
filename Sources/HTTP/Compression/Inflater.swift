import CZlib

/// Decompresses the messages of a peer, or a body, a piece at a time.
package final class Inflater {
    /// The format of a stream.
    package enum Format {
        /// Messages without headers (RFC 7692); `resetsContext` if each is compressed by itself. They
        /// refer to no more than the last 2^`windowBits` bytes, which are kept.
        case messages(resetsContext: Bool, windowBits: Int = 15)
        /// A body with the header of gzip or zlib (RFC 9110 section 8.4.1).
        case headed
        /// A body without a header, which some servers send as `deflate`.
        case raw
    }

    /// The end of each message, which is not sent (RFC 7692 section 7.2.2).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    /// The most bytes that are decompressed at once.
    private static let pieceLimit = 16 << 10

    /// At a fixed address, to which zlib's own state points.
    private let stream: UnsafeMutablePointer<z_stream>
    private let format: Format
    /// Whether the end of a body has been read.
    private var isOver = false
    /// The compressed bytes so far, and what they became.
    private(set) var traffic = CompressedTraffic()

    package init(_ format: Format) {
        self.format = format
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result =
            switch format {
            // zlib itself writes what was agreed to have 8 bits with 9.
            case .messages(_, let bits): cz_inflate_init(stream, CInt(min(max(bits, 9), 15)))
            case .headed: cz_inflate_init_headed(stream)
            case .raw: cz_inflate_init(stream, 15)
            }
        precondition(result == Z_OK, "zlib: \(result)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses the next bytes of a message, or of a body, after whose end nothing is read.
    ///
    /// - Parameters:
    ///   - input: The bytes, without their mask.
    ///   - take: Gets what they become, in pieces of at most 16 KiB.
    /// - Throws: Any error that `take` throws, and `WebSocketFailure` for invalid data.
    package func inflate(
        _ input: [UInt8],
        take: (Span<UInt8>) throws(WebSocketFailure) -> Void
    ) throws(WebSocketFailure) {
        traffic.compressed += input.count
        try run(input, take: take)
    }

    /// Decompresses the rest of a message, after its last byte.
    package func finishMessage(
        take: (Span<UInt8>) throws(WebSocketFailure) -> Void
    ) throws(WebSocketFailure) {
        try run(Self.tail, take: take)
        if case .messages(resetsContext: true, _) = format { inflateReset(stream) }
    }

    /// Decompresses the whole of a body, or returns `nil` if it is invalid, or becomes longer than the
    /// limit.
    package func inflated(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var result: [UInt8] = []
        do throws(WebSocketFailure) {
            try inflate(bytes) { (piece) throws(WebSocketFailure) in
                guard result.count + piece.count <= limit else { throw Self.invalid }
                piece.withUnsafeBufferPointer { result += $0 }
            }
        } catch {
            return nil
        }
        return result
    }

    private func run(
        _ input: [UInt8],
        take: (Span<UInt8>) throws(WebSocketFailure) -> Void
    ) throws(WebSocketFailure) {
        guard !isOver else { return }
        var used = 0
        while true {
            let (result, read, content) = step(input, from: used)
            let written = content.count
            used += read
            traffic.content += written
            if written > 0 { try take(content.span) }
            switch result {
            case Z_STREAM_END where !isOfMessages:
                isOver = true
                return
            case Z_STREAM_END:
                // The end of a block that calls itself the last; others may follow it, and refer
                // to what came before (RFC 7692 section 7.2.3.4).
                inflateResetKeep(stream)
                guard used < input.count else { return }
            case Z_OK, Z_BUF_ERROR:
                // A full buffer may leave more to write.
                guard used < input.count || written == Self.pieceLimit else { return }
                guard read > 0 || written > 0 else { throw Self.invalid }
            default:
                throw Self.invalid
            }
        }
    }

    private var isOfMessages: Bool {
        if case .messages = format { true } else { false }
    }

    private static let invalid = WebSocketFailure(code: 1007, reason: "invalid compressed data")

    /// The memory of what is decompressed is not kept: most connections wait most of the time.
    private func step(_ input: [UInt8], from start: Int) -> (CInt, read: Int, content: [UInt8]) {
        var result = Z_OK
        var read = 0
        let content = [UInt8](unsafeUninitializedCapacity: Self.pieceLimit) { output, written in
            input.withUnsafeBufferPointer { input in
                // zlib does not write to its input.
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress.map { $0 + start }
                )
                stream.pointee.avail_in = CUnsignedInt(input.count - start)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = CUnsignedInt(Self.pieceLimit)
                result = CZlib.inflate(stream, Z_NO_FLUSH)
                read = input.count - start - Int(stream.pointee.avail_in)
                written = Self.pieceLimit - Int(stream.pointee.avail_out)
            }
        }
        return (result, read, content)
    }
}

/// The amount of compressed content that a connection has received.
package struct CompressedTraffic: Sendable, Hashable {
    /// The bytes as they were sent.
    package internal(set) var compressed = 0
    /// The number of bytes after decompression.
    package internal(set) var content = 0
}
