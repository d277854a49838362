/// What became of a dial that was answered.
package enum WebSocketDialResult: Sendable {
    /// With the headers of the 101.
    case open(WebSocketConnection, headers: [(String, String)])
    /// Any other answer; of its body what came in time, 64 KiB at most.
    case refused(status: Int, headers: [(String, String)], body: [UInt8])
}
