/// The marks of the lifeline, the better ones first.
package enum LifelineMark: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// A socket opened where none was open.
    case opened
    case switched
    case answered
    /// A request whose answer is awaited.
    case sent
    case renewed
    case resumed
    case paused
    /// The session got a pair other than by a renewal.
    case began
    case asleep
    case lost
    case warning
    /// A request that failed, or did not leave.
    case failed
    case ended
    /// A request that was refused.
    case refused
    /// The end of a socket or of a session that was not asked for here.
    case died

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
