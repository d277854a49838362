/// The head of one frame, already checked on its own; whether it fits the message around it is
/// the codec's to say.
package struct FrameHeader: Sendable, Equatable {
    /// The last, or only, frame of its message.
    package var isFinal: Bool
    package var opcode: Opcode
    package var length: Int
    /// Present on frames from a client, absent on frames from a server.
    package var mask: MaskingKey?

    package init(isFinal: Bool, opcode: Opcode, length: Int, mask: MaskingKey? = nil) {
        self.isFinal = isFinal
        self.opcode = opcode
        self.length = length
        self.mask = mask
    }
}
