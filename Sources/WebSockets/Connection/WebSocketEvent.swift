/// What a peer sent, in order.
package enum WebSocketEvent: Sendable, Equatable {
    /// A complete message, valid UTF-8.
    case text(String)
    case binary([UInt8])
    /// Already answered with a pong.
    case ping([UInt8])
    case pong([UInt8])
    /// Always the last, and exactly once.
    case closed(WebSocketCloseReport)

    /// The bytes it weighs while it waits to be read.
    var weight: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes), .ping(let bytes), .pong(let bytes): bytes.count
        case .closed: 0
        }
    }
}
