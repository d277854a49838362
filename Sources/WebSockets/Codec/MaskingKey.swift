/// The four bytes a client mixes into each frame's payload (RFC 6455 section 5.3).
package struct MaskingKey: Sendable, Equatable {
    /// Big-endian: the highest byte is the first on the wire.
    package var value: UInt32

    package init(_ value: UInt32) {
        self.value = value
    }

    /// Masks, or unmasks, what lies in `bytes` from `start` to the end.
    ///
    /// - Parameters:
    ///   - bytes: What comes before `start` is left alone.
    ///   - start: Where in `bytes` the masked part begins.
    ///   - position: How far into its frame's payload that part begins.
    package func apply(to bytes: inout [UInt8], from start: Int, position: Int = 0) {
        let turn = UInt32(truncatingIfNeeded: position % 4) * 8
        let turned = value << turn | value >> (32 - turn)
        let wide = (UInt64(turned) << 32 | UInt64(turned)).bigEndian
        bytes.withUnsafeMutableBytes { all in
            let masked = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            var index = 0
            while index + 8 <= masked.count {
                let word = masked.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                masked.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < masked.count {
                let shift = UInt32(24 - index % 4 * 8)
                masked[index] ^= UInt8(truncatingIfNeeded: turned >> shift)
                index += 1
            }
        }
    }
}
