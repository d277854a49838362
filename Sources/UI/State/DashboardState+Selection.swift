import Basics
import Model

/// Several sessions, one of which the panes show.
extension ObservedStatus {
    /// Whether the session has ended.
    fileprivate var isOver: Bool {
        if case .ended = self { true } else { false }
    }
}

extension DashboardState {
    var hasSeveralSessions: Bool {
        guard isObserved else { return sessions.count > 1 }
        return sessions.lazy.filter(\.digest.isSeen).prefix(2).count > 1
    }

    /// Whether anything has gone through the proxy.
    var hasTraffic: Bool {
        sessions.count > 1 || book.hasTraffic
    }

    /// All sessions; of an app, the requests without a token are one only if there are any.
    var shownSessions: [DashboardSession] {
        isObserved && sessions.count > 1 ? sessions.filter(\.digest.isSeen) : sessions
    }

    /// Shows some sessions no longer.
    mutating func forget(_ ids: Set<SessionID>) {
        sessions.removeAll { ids.contains($0.id) }
        if focus == SessionsPane.id, !hasSeveralSessions { focus = PaneCatalogue.first }
        guard selection.map(ids.contains) ?? false else { return }
        selection = sessions.first?.id
        hasChosenSession = false
    }

    /// The session that the panes show, and that keys act on.
    var selected: DashboardSession {
        get {
            selection.flatMap { places[$0] }.map { sessions[$0] }
                ?? sessions.first ?? DashboardSession(id: SessionID(""))
        }
        set {
            guard let index = places[newValue.id] else { return }
            sessions[index] = newValue
        }
    }

    /// The state of the selected session.
    var session: SessionSnapshot { book[selected.id] }

    /// Its lists, with their positions.
    var lists: [PaneID: ListState] {
        get { selected.lists }
        set { selected.lists = newValue }
    }

    func command(_ command: SessionCommand) -> [DashboardCommand] {
        [.perform(command, on: selected.id)]
    }

    /// Asks the server about the tokens, and shows what it says.
    mutating func introspect() -> [DashboardCommand] {
        overlay = OpenOverlay(.introspections(asked: session.current?.pair.access?.fingerprint))
        return command(.introspect)
    }

    /// Selects another session, in the order in which the strip shows them.
    mutating func select(by step: Int, at now: Moment?) {
        guard hasSeveralSessions else {
            notice = Notice("only this session is watched")
            return
        }
        let order = now.map { strip(at: $0).ids } ?? shownSessions.map(\.id)
        let place = order.firstIndex(of: selected.id) ?? 0
        selection = order[(place + step + order.count) % order.count]
        hasChosenSession = true
    }

    /// The panes of the screen.
    var panes: [any Pane.Type] {
        PaneCatalogue.panes(isObserved: isObserved, hasSeveralSessions: hasSeveralSessions)
    }

    /// Gives a pane the focus.
    mutating func show(_ pane: PaneID) {
        guard panes.contains(where: { $0.id == pane }) else {
            notice = Notice("only this session is watched")
            return
        }
        focus = pane
    }

    /// The number of the pane with the focus and whether it has the whole screen, or `nil` if both
    /// are as at the start.
    package var layout: (pane: Int, isZoomed: Bool)? {
        let usual = isObserved ? FindingsPane.id : PaneCatalogue.first
        return focus == usual && !isZoomed ? nil : (focus.rawValue, isZoomed)
    }

    /// Begins with the layout of an earlier run; one that cannot be here changes nothing.
    package mutating func begin(withPane pane: Int, isZoomed: Bool) {
        let id = PaneID(rawValue: pane)
        guard panes.contains(where: { $0.id == id }) else { return }
        focus = id
        self.isZoomed = isZoomed
    }

    /// Shows the session under the cursor of the table in all panes.
    mutating func selectFromTable(rows: Int) {
        let viewModel = presentViewModel
        guard let number = SessionsPane.selected(viewModel, rows: rows),
            let entry = SessionsPane.log(viewModel).entry(numbered: number)
        else { return }
        let list = lists[SessionsPane.id]
        selection = entry.id
        hasChosenSession = true
        lists[SessionsPane.id] = list
    }

    /// The pane `step` further round.
    func neighbor(by step: Int) -> PaneID {
        PaneCatalogue.neighbor(of: focus, by: step, among: panes)
    }

    /// Focuses the finding that was new, or happened again, last, and shows its session.
    mutating func selectNewestFinding() {
        guard let newest = book.findings.max(by: { $0.finding.lastAt.now < $1.finding.lastAt.now })
        else {
            notice = Notice("nothing found yet", isWarning: false)
            return
        }
        if let place = places[newest.session], sessions[place].digest.isSeen {
            selection = newest.session
            hasChosenSession = true
        }
        focus = FindingsPane.id
        var list = ListState()
        list.position = .held(number: newest.number, row: 0)
        lists[focus] = list
    }

    /// Shows the newest session of an app until the user chooses another one.
    mutating func followObserved(_ event: SessionEvent) {
        if type(of: event.kind).isOfApp {
            isObserved = true
        } else if let capabilities = event.kind as? Capabilities, capabilities.role == .observed {
            isObserved = true
        }
        guard event.kind is ObservedStatus, !hasChosenSession else { return }
        if book[selected.id].observed.status?.isOver ?? true { selection = event.session }
    }
}
