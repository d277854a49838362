import Basics
import HTTP
import Observer

/// Copies the beginning of a body for the observer, decoded if it has a coding (RFC 9110
/// section 8.4) that is known.
struct BodyTap {
    /// The codings that can be read.
    static let readableCodings: Set<String> = ["identity", "gzip", "x-gzip", "deflate"]

    private var decoder: ContentDecoder
    private var room = TrafficInput.bodyLimit

    /// - Parameter fields: Those of the message.
    init(_ fields: [HeadField]) {
        let codings = fields.filter { $0.key == "content-encoding" }.flatMap { $0.list }
        decoder = ContentDecoder(codings: codings.map { String($0) })
        if !decoder.isReadable { room = 0 }
    }

    /// Appends the part of the bytes that is handed over, no more of it than that, however long it
    /// would become.
    mutating func copy(_ bytes: Span<UInt8>, to copy: inout [UInt8]) {
        guard room > 0 else { return }
        var room = room
        do {
            try decoder.decode(bytes) { (content) throws(WebSocketFailure) in
                let part = content.extracting(first: room)
                room -= part.count
                part.withUnsafeBufferPointer { copy.append(contentsOf: $0) }
                guard room > 0 else { throw .tooBig("more than is handed over") }
            }
            self.room = room
        } catch {
            self.room = 0
        }
    }
}
