import Observation
import WebSockets

/// Copies the beginning of a body for the observer, decoded if it has a coding (RFC 9110
/// section 8.4) that is known.
struct BodyTap {
    /// The codings that can be read.
    static let readableCodings: Set<String> = ["identity", "gzip", "x-gzip", "deflate"]

    private enum Coding {
        case none
        case gzip
        /// With the header of zlib, as it should be, or without.
        case deflate
        case unreadable
    }

    private var coding: Coding
    private var inflater: Inflater?
    private var room = TrafficInput.bodyLimit

    /// - Parameter fields: Those of the message.
    init(_ fields: [HeadField]) {
        var codings: [String] = []
        for field in fields where field.key == "content-encoding" {
            codings += field.list.map { $0.lowercased() }.filter { $0 != "identity" }
        }
        coding =
            switch codings {
            case []: .none
            case ["gzip"], ["x-gzip"]: .gzip
            case ["deflate"]: .deflate
            default: .unreadable
            }
    }

    /// Appends the part of the bytes that is handed over.
    mutating func copy(_ bytes: Span<UInt8>, to copy: inout [UInt8]) {
        guard room > 0, !bytes.isEmpty else { return }
        switch coding {
        case .none: append(bytes, to: &copy)
        case .gzip, .deflate: inflate(bytes, to: &copy)
        case .unreadable: break
        }
    }

    private mutating func append(_ bytes: Span<UInt8>, to copy: inout [UInt8]) {
        let part = bytes.extracting(first: room)
        room -= part.count
        part.withUnsafeBufferPointer { copy.append(contentsOf: $0) }
    }

    /// Decompresses no more than is handed over, however long it would become.
    private mutating func inflate(_ bytes: Span<UInt8>, to copy: inout [UInt8]) {
        let inflater = self.inflater ?? Inflater(format(of: bytes[0]))
        self.inflater = inflater
        do {
            try inflater.inflate(bytes.withUnsafeBufferPointer { Array($0) }) {
                (content) throws(WebSocketFailure) in
                append(content, to: &copy)
                guard room > 0 else { throw .tooBig("more than is handed over") }
            }
        } catch {
            coding = .unreadable
            self.inflater = nil
        }
    }

    /// What a stream looks like that begins with a byte (RFC 1950 section 2.2).
    private func format(of first: UInt8) -> Inflater.Format {
        guard case .deflate = coding else { return .headed }
        return first & 0x8F == 8 ? .headed : .raw
    }
}
