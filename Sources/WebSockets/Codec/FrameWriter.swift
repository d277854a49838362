/// Frames as bytes, in the shortest form.
package enum FrameWriter {
    package static func bytes(
        _ opcode: Opcode,
        _ payload: some Collection<UInt8>,
        isFinal: Bool = true,
        mask: MaskingKey? = nil
    ) -> [UInt8] {
        let length = payload.count
        var frame: [UInt8] = []
        frame.reserveCapacity(length + 14)
        frame.append((isFinal ? 0x80 : 0) | opcode.rawValue)
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
