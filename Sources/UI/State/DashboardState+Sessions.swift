import Model
import Profiles

extension DashboardState {
    var listed: [ListedSession] { session.activeSessions.list ?? [] }

    /// Requests the list of sessions, again if it is open.
    mutating func openSessions() -> [DashboardCommand] {
        if case .sessions? = overlay?.content { return command(.send(.sessions)) }
        overlay = OpenOverlay(.sessions(selected: 0))
        return command(.send(.sessions))
    }

    /// The row under the cursor is kept in sight.
    mutating func select(_ move: ListMove, from selected: Int) {
        let height = max(1, rows - rowsAbove - 3)
        let last = max(0, listed.count - 1)
        let aim = move.rows(height: height).map { min(selected, last) + $0 }
        let next = min(max(0, aim ?? (move == .start ? 0 : last)), last)
        overlay?.content = .sessions(selected: next)
        let row = next == 0 ? 0 : next + SessionsText.rowsAbove
        let scroll = overlay?.scroll ?? 0
        overlay?.scroll = min(max(scroll, row - height + 1), row)
    }

    /// Opens the question whether to end the selected session.
    mutating func askToEnd() {
        guard case .sessions(let selected)? = overlay?.content, selected < listed.count else {
            return
        }
        let chosen = listed[selected]
        guard chosen.isExact else {
            notice = Notice("its id holds what cannot be sent back: it cannot be ended from here")
            return
        }
        overlay = OpenOverlay(.question(.endSession(chosen)))
    }
}

extension KeyContext {
    var sessionsObstacle: String? {
        if session.capabilities?.listsSessions == false {
            return "\(backend) has no list of active sessions"
        }
        return session.state.isLive ? nil : "not logged in"
    }
}

extension KeyTable {
    static let sessions: [KeyCommand] = [
        KeyCommand(
            keys: ["x", .delete],
            modes: [.choice],
            section: .sessions,
            hint: "end it",
            help: "end the selected one (asks first)",
            scope: .session,
            obstacle: { context in
                context.session.capabilities?.endsSessions == false
                    ? "\(context.backend) has no way to end a single session" : nil
            },
            effect: .change { $0.askToEnd() }
        ),
        KeyCommand(
            keys: ["S"],
            modes: [.choice],
            section: .sessions,
            name: "sessions",
            hint: "ask again",
            help: "ask for the list again",
            scope: .session,
            obstacle: { $0.sessionsObstacle },
            effect: .run { $0.openSessions() }
        ),
    ]
}
