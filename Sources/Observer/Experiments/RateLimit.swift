import Basics

/// A limit for the number of times that scorecards are filled in, since each time costs a walk over
/// all exchanges.
struct RateLimit: Sendable {
    /// The most times in a second.
    static let limit = 256
    private static let window = 1.0

    private var beganAt: Instant?
    private var count = 0
    /// When what was put off is due, or `nil` if nothing was.
    private(set) var next: Instant?

    /// Returns whether they are to be filled in now.
    mutating func allows(at now: Instant) -> Bool {
        let end = beganAt?.advanced(bySeconds: Self.window)
        if let end, now < end {
            guard count < Self.limit else {
                next = end
                return false
            }
            count += 1
        } else {
            beganAt = now
            count = 1
        }
        next = nil
        return true
    }
}
