import Model
import Profiles

extension DashboardState {
    private var listed: [ListedSession] { session.activeSessions.list ?? [] }

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

    mutating func confirm() -> [DashboardCommand] {
        guard case .question(let question)? = overlay?.content else { return [] }
        decline()
        switch question {
        case .logOut: return command(.logOut(.this))
        case .logOutEverywhere: return command(.logOut(.everywhere))
        case .experiment(let experiment): return command(.experiment(experiment))
        case .appExperiment(let experiment): return begin(experiment)
        case .endSession(let session): return command(.send(.endSession(session.id)))
        }
    }

    /// Back to where the question came from.
    mutating func decline() {
        switch overlay?.content {
        case .question(.endSession(let session))?:
            overlay = OpenOverlay(.sessions(selected: listed.firstIndex(of: session) ?? 0))
        case .question(.experiment(let experiment))?:
            let selected = Experiment.allCases.firstIndex(of: experiment) ?? 0
            overlay = OpenOverlay(.experiments(selected: selected))
        case .question(.appExperiment(let experiment))?: showExperiments(at: experiment)
        default: overlay = nil
        }
    }
}
