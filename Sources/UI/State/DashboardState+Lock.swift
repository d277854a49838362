import Basics

/// When the screen locks, and what opens it.
extension DashboardState {
    /// When the time without a key press reaches the limit of the profile, or `nil` if there is no
    /// limit.
    var locksAt: Instant? {
        guard let seconds = configuration.lockAfter, lock == nil else { return nil }
        return lastKeyAt?.advanced(bySeconds: seconds)
    }

    /// The present.
    mutating func updateClock(_ moment: Moment) -> [DashboardCommand] {
        lastMoment = moment
        updateGlances(at: moment)
        guard let locksAt else {
            lastKeyAt = lastKeyAt ?? moment.now
            return []
        }
        guard locksAt <= moment.now else { return [] }
        // If it cannot be locked, a notice is shown, and the next attempt is made after the same
        // time.
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

/// Commands whose keys are named in texts.
extension KeyCommand {
    static let unlock = KeyCommand(
        keys: [.enter],
        modes: [.locked],
        section: .locked,
        help: "open it",
        scope: .lock,
        effect: .run { $0.tryToUnlock() }
    )

    static let clearPassphrase = KeyCommand(
        keys: [.escape],
        modes: [.locked],
        section: .locked,
        help: "clear what is typed",
        effect: .change { $0.edit(.eraseAll) }
    )
}

extension KeyTable {
    static let locked: [KeyCommand] = [
        .unlock,
        .clearPassphrase,
    ]
}
