import Model

/// The terminal in the background and in the foreground, as an app is.
extension DashboardState {
    /// The terminal's focus came or went.
    mutating func setInBackground(_ isNow: Bool) -> [DashboardCommand] {
        isInBackground = isNow
        return sessions.flatMap { session -> [DashboardCommand] in
            let pause = SessionCommand.setPaused(isNow ? .timer : nil, by: .background)
            let pauses = session.pausesInBackground ? [pause] : []
            return (isNow ? pauses : [.checkClocks] + pauses).map { .perform($0, on: session.id) }
        }
    }
}
