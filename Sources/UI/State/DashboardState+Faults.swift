import Basics
import Model

/// The faults of the sandbox: shown as it states them, never as they were requested.
extension DashboardState {
    /// Seconds between two requests for the list while it is shown: others can change it too.
    private static let faultsInterval = 1.0

    /// Opens the list, or closes it.
    mutating func openFaults() -> [DashboardCommand] {
        if case .faults? = overlay?.content {
            overlay = nil
            return []
        }
        overlay = OpenOverlay(.faults(FaultChoice()))
        return ask(.read)
    }

    mutating func ask(_ request: FaultRequest) -> [DashboardCommand] {
        selected.knownFaults.pending += 1
        selected.knownFaults.askedAt = lastMoment?.now
        return [.faults(request, on: selected.id)]
    }

    /// Requests the list again while it is shown.
    mutating func faultsAgain(at now: Instant) -> [DashboardCommand] {
        guard case .faults? = overlay?.content, lock == nil, selected.knownFaults.pending == 0,
            now.seconds(since: selected.knownFaults.askedAt ?? .origin) >= Self.faultsInterval
        else { return [] }
        return ask(.read)
    }

    mutating func take(
        _ result: Result<[SandboxFault], FaultProblem>,
        of id: SessionID
    ) {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        sessions[index].knownFaults.pending -= 1
        switch result {
        case .success(let faults):
            sessions[index].knownFaults.faults = faults
            sessions[index].knownFaults.problem = nil
        case .failure(let problem):
            sessions[index].knownFaults.problem = problem
        }
    }

    mutating func changeSelectedFault(
        _ request: (SandboxFault) -> FaultRequest
    ) -> [DashboardCommand] {
        guard case .faults(let choice)? = overlay?.content else { return [] }
        let shown = selected.knownFaults.matching(choice.filter)
        guard shown.indices.contains(choice.selected) else {
            notice = Notice("no fault is selected")
            return []
        }
        return ask(request(shown[choice.selected]))
    }

    /// Moves the cursor, which is kept in sight with what is said of its fault.
    mutating func select(_ move: ListMove, in choice: FaultChoice) {
        let height = max(1, rows - rowsAbove - 3)
        let last = max(0, selected.knownFaults.matching(choice.filter).count - 1)
        let aim = move.rows(height: height).map { min(choice.selected, last) + $0 }
        var choice = choice
        choice.selected = min(max(0, aim ?? (move == .start ? 0 : last)), last)
        overlay?.content = .faults(choice)
        let row = choice.selected == 0 ? 0 : choice.selected + FaultsText.rowsAbove
        let bottom = row + FaultsText.rowsOfDetail
        let scroll = overlay?.scroll ?? 0
        overlay?.scroll = max(0, min(max(scroll, bottom - height + 1), row))
    }
}

extension KeyContext {
    var faultsObstacle: String? {
        session.claimsSandbox
            ? nil : "faults are the sandbox's, and this backend has not said that it is one"
    }
}

extension KeyTable {
    static let faults: [KeyCommand] = [
        KeyCommand(
            keys: [.enter, "o"],
            modes: [.faults],
            section: .faults,
            hint: "once",
            help: "the next time only",
            scope: .session,
            obstacle: { $0.faultsObstacle },
            effect: .run { $0.changeSelectedFault { fault in .once(fault.fault.name) } }
        ),
        KeyCommand(
            keys: [" "],
            modes: [.faults],
            section: .faults,
            hint: "on/off",
            help: "on until it is turned off, or off",
            scope: .session,
            obstacle: { $0.faultsObstacle },
            effect: .run { state in
                state.changeSelectedFault { $0.isOff ? .on($0.fault.name) : .off($0.fault.name) }
            }
        ),
        KeyCommand(
            keys: ["a"],
            modes: [.faults],
            section: .faults,
            hint: "all off",
            help: "all off",
            scope: .session,
            obstacle: { $0.faultsObstacle },
            effect: .run { $0.ask(.allOff) }
        ),
    ]
}
