/// One complete thing a peer said.
package enum WebSocketIncoming: Sendable, Equatable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
}
