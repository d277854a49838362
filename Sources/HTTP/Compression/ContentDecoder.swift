import Basics
package import NIOHTTP1

/// Decompresses a body that a server has coded as gzip or deflate (RFC 9110 section 8.4).
package struct ContentDecoder {
    private enum Coding {
        case none
        case gzip
        /// With the header of zlib, as it should be, or without.
        case deflate
        case unreadable
    }

    private let coding: Coding
    private var inflater: Inflater?

    /// - Parameter codings: The elements of `Content-Encoding`.
    package init(codings: some Sequence<String>) {
        let applied = codings.map { $0.asciiLowercased }.filter { $0 != "identity" }
        coding =
            switch applied {
            case []: .none
            case ["gzip"], ["x-gzip"]: .gzip
            case ["deflate"]: .deflate
            default: .unreadable
            }
    }

    /// Whether the coding is one that can be read, or there is none.
    package var isReadable: Bool {
        if case .unreadable = coding { false } else { true }
    }

    /// Decodes the next bytes of the body, after whose end nothing is read.
    ///
    /// - Parameters:
    ///   - bytes: The bytes as they were sent.
    ///   - take: Gets what they become, in pieces; those of a coding that cannot be read as they are.
    /// - Throws: Any error that `take` throws, and `WebSocketFailure` for invalid data.
    package mutating func decode(
        _ bytes: Span<UInt8>,
        take: (Span<UInt8>) throws(WebSocketFailure) -> Void
    ) throws(WebSocketFailure) {
        guard !bytes.isEmpty else { return }
        switch coding {
        case .none, .unreadable: try take(bytes)
        case .gzip, .deflate:
            let inflater = self.inflater ?? Inflater(format(of: bytes[0]))
            self.inflater = inflater
            try inflater.inflate(bytes.withUnsafeBufferPointer { Array($0) }, take: take)
        }
    }

    /// The format of a stream that begins with a byte (RFC 1950 section 2.2).
    private func format(of first: UInt8) -> Inflater.Format {
        guard case .deflate = coding else { return .headed }
        return first & 0x8F == 8 ? .headed : .raw
    }
}

extension ContentDecoder {
    /// Creates the decoder for the body of a response.
    package init(for head: HTTPResponseHead) {
        self.init(codings: head.headers[canonicalForm: "Content-Encoding"].map(String.init))
    }
}
