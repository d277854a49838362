package import Lifecycle
import Timekeeping

/// Several sessions, one of which the panes show.
extension DashboardState {
    package var hasSeveralSessions: Bool { sessions.count > 1 }

    /// The session that the panes show, and that keys act on.
    package internal(set) var selected: DashboardSession {
        get {
            sessions.first { $0.id == selection }
                ?? sessions.first ?? DashboardSession(id: SessionID(""))
        }
        set {
            guard let index = sessions.firstIndex(where: { $0.id == newValue.id }) else { return }
            sessions[index] = newValue
        }
    }

    /// What is known of the selected session.
    package var session: SessionSnapshot { book[selected.id] }

    /// Its lists, with their positions.
    package internal(set) var lists: [PaneID: ListState] {
        get { selected.lists }
        set { selected.lists = newValue }
    }

    func command(_ command: SessionCommand) -> [DashboardCommand] {
        [.perform(command, on: selected.id)]
    }

    /// Selects another session, in the order in which the strip shows them.
    mutating func select(by step: Int, at now: Moment?) {
        guard hasSeveralSessions else {
            notice = Notice("only this session is watched")
            return
        }
        let order = now.map { strip(at: $0).cells.map(\.id) } ?? sessions.map(\.id)
        let place = order.firstIndex(of: selected.id) ?? 0
        selection = order[(place + step + order.count) % order.count]
    }

    /// All sessions, the worst first.
    func strip(at now: Moment) -> SessionStrip {
        let cells = sessions.map { session in
            SessionStrip.Cell(
                id: session.id,
                scene: scene(of: session, at: now),
                isSelected: session.id == selected.id
            )
        }
        return SessionStrip(cells)
    }
}
