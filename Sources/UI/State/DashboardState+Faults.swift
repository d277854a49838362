import Basics
import Model

/// The list of faults and experiments. The sandbox's faults are shown as it states them, never as
/// they were requested.
extension DashboardState {
    /// Seconds between two requests for the sandbox's faults while they are shown: others can change
    /// them too.
    private static let faultsInterval = 1.0

    /// Opens the list at a section, moves to that section, or closes the list if it is there.
    mutating func openFaults(at section: Fault.Place) -> [DashboardCommand] {
        if let list = faultList {
            guard list.section != section else {
                overlay = nil
                return []
            }
            showFault(list.rows(of: section).first)
            return []
        }
        overlay = OpenOverlay(.faults(FaultChoice(at: section)))
        keepFaultInSight()
        return hasSandbox ? ask(.read) : []
    }

    /// The list, or `nil` if it is not shown.
    var faultList: FaultList? {
        guard case .faults(let choice)? = overlay?.content else { return nil }
        return FaultList(viewModel: presentViewModel, choice: choice)
    }

    private var hasSandbox: Bool {
        Fault.Place.backend.obstacle(in: presentViewModel.keyContext) == nil
    }

    // MARK: - The cursor

    mutating func select(_ move: ListMove, in list: FaultList) {
        let rows = list.rows
        guard let current = list.selected.flatMap({ rows.firstIndex(of: $0) }) else { return }
        let height = max(1, self.rows - rowsAbove - 3)
        let aim = move.rows(height: height).map { current + $0 }
        let last = rows.count - 1
        showFault(rows[min(max(0, aim ?? (move == .start ? 0 : last)), last)])
    }

    /// Selects a row, and opens the list if it is not shown.
    mutating func showFault(_ row: FaultRow?) {
        if case .faults(var choice)? = overlay?.content {
            choice.selected = row
            overlay?.content = .faults(choice)
        } else if let row {
            overlay = OpenOverlay(.faults(FaultChoice(at: row.section, selected: row)))
        }
        keepFaultInSight()
    }

    /// Scrolls so far that the selected row is in sight with what is said of it.
    mutating func keepFaultInSight() {
        guard let open = overlay, case .faults = open.content else { return }
        let body = Area(columns: columns, rows: max(0, rows - rowsAbove - 1))
        let document = open.document(presentViewModel)
        guard let rows = OverlayView.selectedRows(of: document, in: body) else { return }
        let height = OverlayView.area(for: document, in: body).area.rows - 2
        overlay?.scroll = max(0, min(max(open.scroll, rows.upperBound - height), rows.lowerBound))
    }

    // MARK: - The sandbox

    mutating func ask(_ request: FaultRequest) -> [DashboardCommand] {
        selected.knownFaults.pending += 1
        selected.knownFaults.askedAt = lastMoment?.now
        return [.faults(request, on: selected.id)]
    }

    /// Requests the sandbox's faults again while they are shown.
    mutating func faultsAgain(at now: Instant) -> [DashboardCommand] {
        guard case .faults? = overlay?.content, lock == nil, hasSandbox,
            selected.knownFaults.pending == 0,
            now.seconds(since: selected.knownFaults.askedAt ?? .origin) >= Self.faultsInterval
        else { return [] }
        return ask(.read)
    }

    mutating func handle(
        _ result: Result<[SandboxFault], FaultProblem>,
        of id: SessionID
    ) {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        let isFirst = sessions[index].knownFaults.faults == nil
        sessions[index].knownFaults.pending -= 1
        switch result {
        case .success(let faults):
            sessions[index].knownFaults.faults = faults
            sessions[index].knownFaults.problem = nil
        case .failure(let problem):
            sessions[index].knownFaults.problem = problem
        }
        // The rows above the selected one have come.
        if isFirst, case .faults? = overlay?.content { keepFaultInSight() }
    }

    mutating func changeSelectedFault(
        _ request: (SandboxFault) -> FaultRequest
    ) -> [DashboardCommand] {
        guard let list = faultList else { return [] }
        guard case .fault(let selected)? = list.selected, selected.place == .backend,
            let fault = list.sandboxFault(selected)
        else {
            notice = Notice("no fault is selected")
            return []
        }
        return ask(request(fault))
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
