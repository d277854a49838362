import Timekeeping

/// When the screen locks, and what opens it.
extension DashboardState {
    /// When nobody has pressed a key for as long as the profile allows, or `nil` while that is not
    /// counted.
    var locksAt: Instant? {
        guard let seconds = configuration.lockAfter, lock == nil else { return nil }
        return lastKeyAt?.advanced(bySeconds: seconds)
    }

    /// The present.
    mutating func note(_ moment: Moment) -> [DashboardCommand] {
        lastMoment = moment
        guard let locksAt else {
            lastKeyAt = lastKeyAt ?? moment.now
            return []
        }
        guard locksAt <= moment.now else { return [] }
        // Where it cannot be locked, that is told, and tried again as long after.
        lastKeyAt = moment.now
        return [.lock]
    }

    mutating func tryToUnlock() -> [DashboardCommand] {
        guard let now = lastMoment?.now, let typed = lock?.submit(at: now) else { return [] }
        return [.unlock(typed)]
    }

    mutating func refuseUnlock(_ problem: String?) {
        guard let now = lastMoment?.now else { return }
        lock?.refuse(problem, at: now)
    }
}
