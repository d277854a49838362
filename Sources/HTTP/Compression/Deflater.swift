import CZlib

/// Compresses the messages of this side.
package final class Deflater {
    /// Favors speed: most messages are short, and much like those before them.
    private static let level = Z_BEST_SPEED

    private let windowBits: Int
    private let resetsContext: Bool
    /// `nil` before the first message: the quarter of a megabyte that zlib needs is not taken for a
    /// connection over which this side sends nothing.
    private var opened: UnsafeMutablePointer<z_stream>?

    /// - Parameters:
    ///   - windowBits: The size of the window, 9 to 15.
    ///   - resetsContext: Whether each message is compressed by itself.
    package init(windowBits: Int, resetsContext: Bool) {
        self.windowBits = windowBits
        self.resetsContext = resetsContext
    }

    deinit {
        guard let opened else { return }
        deflateEnd(opened)
        opened.deallocate()
    }

    private func open() -> UnsafeMutablePointer<z_stream> {
        if let opened { return opened }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = cz_deflate_init(stream, Self.level, CInt(windowBits))
        precondition(result == Z_OK, "zlib: \(result)")
        opened = stream
        return stream
    }

    /// Returns a message as it is sent, without its last four bytes (RFC 7692 section 7.2.1).
    ///
    /// - Parameter message: Not empty.
    /// - Returns: The payload of its frames.
    package func deflate(_ message: [UInt8]) -> [UInt8] {
        let stream = open()
        let bound = Int(deflateBound(stream, CUnsignedLong(message.count))) + 16
        var output = [UInt8](repeating: 0, count: bound)
        var count = 0
        message.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = CUnsignedInt(input.count)
            while true {
                let room = output.count - count
                let left = output.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_out = output.baseAddress.map { $0 + count }
                    stream.pointee.avail_out = CUnsignedInt(room)
                    _ = CZlib.deflate(stream, Z_SYNC_FLUSH)
                    return Int(stream.pointee.avail_out)
                }
                count += room - left
                if left > 0 { return }
                output.append(contentsOf: repeatElement(0, count: 1 << 10))
            }
        }
        if resetsContext { deflateReset(stream) }
        output.removeLast(output.count - count + 4)
        return output
    }
}
