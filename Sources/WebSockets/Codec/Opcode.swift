/// What a frame is (RFC 6455 section 5.2); anything else on the wire is a violation.
package enum Opcode: UInt8, Sendable, Equatable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames may stand between the fragments of a message and are never fragmented.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}
