import NIOCore

/// Decides when a transport is read again, so that what comes in quick succession is read together.
///
/// A single message is read at once, and so are large pieces, which gain nothing.
struct ReadPacing {
    /// This many bytes at a time are a large piece.
    static let largePiece = 1 << 16

    private let interval: TimeAmount
    /// When something came last.
    private var last: NIODeadline?
    /// The bytes that came since the last pause was asked for.
    private var arrived = 0

    /// - Parameter interval: The least time between two reads.
    init(interval: TimeAmount) {
        self.interval = interval
    }

    mutating func received(_ count: Int) {
        arrived += count
    }

    /// Returns how long the next read has to wait, or `nil` if it need not.
    mutating func pause(at now: NIODeadline) -> TimeAmount? {
        guard arrived > 0 else { return nil }
        defer {
            last = now
            arrived = 0
        }
        guard let last, arrived < Self.largePiece else { return nil }
        // A read that was due after an interval comes a little later.
        return now - last < interval * 2 ? interval : nil
    }
}
