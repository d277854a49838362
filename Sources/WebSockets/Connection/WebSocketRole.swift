/// Which side of a connection we are.
package enum WebSocketRole: Sendable {
    /// Masks what it sends, each frame with a key of its own, which ought to be unpredictable.
    case client(maskKeys: @Sendable () -> UInt32)
    case server

    var isServer: Bool {
        switch self {
        case .client: false
        case .server: true
        }
    }

    /// A frame as this side sends it.
    func frame(_ opcode: Opcode, _ payload: some Collection<UInt8>) -> [UInt8] {
        switch self {
        case .client(let maskKeys):
            FrameWriter.bytes(opcode, payload, mask: MaskingKey(maskKeys()))
        case .server:
            FrameWriter.bytes(opcode, payload)
        }
    }
}
