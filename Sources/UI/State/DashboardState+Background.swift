import Model

/// The terminal in the background and in the foreground, as an app is.
extension DashboardState {
    /// Tells a user who does not see the screen; without the session's name if the screen is locked.
    func announce(_ notification: Notification) -> [DashboardCommand] {
        guard isInBackground else { return [] }
        let text = NotificationText.text(notification, namesSession: lock == nil)
        return text.map { [.announce($0)] } ?? []
    }

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
