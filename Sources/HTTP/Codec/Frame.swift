/// The head of one frame, validated by itself; whether it is valid within its message is checked by
/// the codec.
package struct FrameHeader: Sendable, Equatable {
    /// Whether it is the last, or only, frame of its message.
    package var isFinal: Bool
    /// The three reserved bits, which an extension may use; RSV1 is the highest.
    package var reserved: UInt8 = 0
    package var opcode: Opcode
    var length: Int
    /// The masking key of a frame from a client; `nil` for a frame from a server.
    package var mask: MaskingKey?
}

/// The kind of a frame (RFC 6455 section 5.2); all other values are violations.
package enum Opcode: UInt8, Sendable, Equatable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether it is a control frame, which may come between the fragments of a message and is
    /// never fragmented.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The four bytes that mask a frame's payload from a client (RFC 6455 section 5.3).
package struct MaskingKey: Sendable, Equatable {
    /// Big-endian: the highest byte is the first on the wire.
    var value: UInt32

    init(_ value: UInt32) {
        self.value = value
    }

    /// Masks or unmasks the bytes from `start` to the end.
    ///
    /// - Parameters:
    ///   - bytes: The bytes; those before `start` are left unchanged.
    ///   - start: The index of the first masked byte.
    ///   - position: The offset of that byte within its frame's payload.
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

/// Encodes frames in their shortest form.
enum FrameWriter {
    static func bytes(
        _ opcode: Opcode,
        _ payload: some Collection<UInt8>,
        isFinal: Bool = true,
        isCompressed: Bool = false,
        mask: MaskingKey? = nil
    ) -> [UInt8] {
        let length = payload.count
        var frame: [UInt8] = []
        frame.reserveCapacity(length + 14)
        frame.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ...125:
            frame.append(masked | UInt8(length))
        case ...0xFFFF:
            frame.append(masked | 126)
            append(UInt64(length), width: 2, to: &frame)
        default:
            frame.append(masked | 127)
            append(UInt64(length), width: 8, to: &frame)
        }
        if let mask { append(UInt64(mask.value), width: 4, to: &frame) }
        let start = frame.count
        frame.append(contentsOf: payload)
        mask?.apply(to: &frame, from: start)
        return frame
    }

    private static func append(_ value: UInt64, width: Int, to frame: inout [UInt8]) {
        for shift in stride(from: width * 8 - 8, through: 0, by: -8) {
            frame.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}
