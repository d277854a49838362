/// Keeps pongs from piling up before a peer that sends pings and does not read.
///
/// With many unsent pongs only the latest ping is remembered, as RFC 6455 section 5.5.3 allows.
struct PongWindow: Sendable {
    private let limit: Int
    private var unsent = 0
    private var latest: [UInt8]?

    init(limit: Int = 64) {
        self.limit = limit
    }

    /// A ping has come: what to answer now, if anything.
    mutating func received(_ payload: [UInt8]) -> [UInt8]? {
        guard unsent < limit else {
            latest = payload
            return nil
        }
        unsent += 1
        return payload
    }

    /// A pong is out: what to answer next, if anything waits.
    mutating func sent() -> [UInt8]? {
        unsent -= 1
        guard let waiting = latest else { return nil }
        latest = nil
        unsent += 1
        return waiting
    }
}
