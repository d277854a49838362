import Model

/// A pause that the user has requested, or `nil` to resume.
struct AskedPause: Sendable, Equatable {
    var extent: PauseExtent?
}

/// The key that pauses: first the timers, then all renewal, then none of it.
extension DashboardState {
    mutating func cyclePause() -> [DashboardCommand] {
        let asked = askedPauses[selected.id] ?? AskedPause(extent: session.flags.pauses[.user])
        let next: PauseExtent? =
            switch asked.extent {
            case nil: .timer
            case .timer: .all
            case .all: nil
            }
        askedPauses[selected.id] = AskedPause(extent: next)
        return command(.setPaused(next))
    }

    /// Confirms a requested pause.
    mutating func confirmPause(_ event: SessionEvent) {
        let extent: PauseExtent?
        if let paused = event.kind as? RenewalPaused, paused.by == .user {
            extent = paused.extent
        } else if (event.kind as? RenewalResumed)?.by == .user {
            extent = nil
        } else {
            return
        }
        if askedPauses[event.session] == AskedPause(extent: extent) {
            askedPauses[event.session] = nil
        }
    }
}
