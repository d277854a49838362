package import Lifecycle

/// What reaches the dashboard.
package enum DashboardMessage: Sendable {
    case key(Key)
    case event(SessionEvent)
    case events([SessionEvent])
    case resized(columns: Int, rows: Int)
    /// The zone of the clock: at a resume it may be another one.
    case utcOffset(seconds: Int)
    /// A word to the person, until the next key.
    case notice(String)
}
