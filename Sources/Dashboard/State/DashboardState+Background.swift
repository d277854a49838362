import Lifecycle

/// The terminal in the background and in the foreground, as an app is.
extension DashboardState {
    /// The terminal's focus came or went.
    mutating func setInBackground(_ isNow: Bool) -> [DashboardCommand] {
        isInBackground = isNow
        let pause = DashboardCommand.setPaused(isNow, by: .background)
        let pauses = configuration.pausesInBackground ? [pause] : []
        return isNow ? pauses : [.lookAtClocks] + pauses
    }
}
