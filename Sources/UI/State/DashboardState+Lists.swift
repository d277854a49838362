import Basics
import FoundationEssentials
import Model

extension DashboardState {
    /// The view model as of the newest event: for what depends on time only in its words.
    var presentViewModel: ViewModel {
        let origin = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        return viewModel(at: lastMoment ?? origin)
    }

    private var focusedList: (any ListPane.Type)? {
        PaneCatalogue.pane(focus) as? any ListPane.Type
    }

    /// Where everything is on the screen, or `nil` if it is too small.
    var currentLayout: ScreenLayout? {
        let viewModel = presentViewModel
        return ScreenLayout(
            columns: columns,
            rows: rows,
            focus: focus,
            panes: panes,
            hasStrip: hasSeveralSessions,
            stateRows: stateRows,
            isZoomed: isZoomed,
            extent: { $0.extent(viewModel) }
        )
    }

    /// Rows that the header needs for the state.
    private var stateRows: Int {
        HeaderLine.state(presentViewModel, columns: columns, rows: rows).count
    }

    /// Rows above the panes, or above the names of panes.
    var rowsAbove: Int { (hasSeveralSessions ? 2 : 1) + stateRows }

    /// Rows of text in the pane that has the focus.
    private var focusedRows: Int {
        currentLayout?.placement(of: focus)?.rows ?? 0
    }

    mutating func back() {
        if overlay != nil {
            overlay = nil
        } else if isZoomed {
            isZoomed = false
        } else if let list = lists[focus], !list.filter.isEmpty {
            lists[focus]?.filter = Filter()
        } else {
            lists[focus]?.position = .following
            if focus == LifelinePane.id { selected.lifeline.held = nil }
        }
    }

    mutating func zoom() {
        guard isZoomed || currentLayout?.panes.count != 1 else {
            notice = Notice("this pane has the whole screen already", isWarning: false)
            return
        }
        isZoomed.toggle()
    }

    mutating func openDetail() {
        if focus == LifelinePane.id { return openFromLifeline() }
        if focus == SessionsPane.id { return selectFromTable(rows: focusedRows) }
        let number = focusedList?.selected(presentViewModel, rows: focusedRows)
        guard PaneCatalogue.pane(focus)?.detail(presentViewModel, of: number) != nil else {
            notice = Notice("nothing to open here")
            return
        }
        overlay = OpenOverlay(.detail(focus, number: number))
    }

    mutating func move(_ move: ListMove) {
        if case .sessions(let selected)? = overlay?.content { return select(move, from: selected) }
        if let list = faultList { return select(move, in: list) }
        if overlay != nil { return scroll(move) }
        if focus == LifelinePane.id { return moveLifeline(move) }
        guard let list = focusedList else {
            let key = configuration.keys.name(of: .openDetail)
            notice = Notice("this pane has no list: \(key) opens the details")
            return
        }
        let position = list.position(after: move, presentViewModel, rows: focusedRows)
        lists[focus, default: ListState()].position = position
    }

    mutating func toggleFollow() {
        if focus == LifelinePane.id { return toggleFollowLifeline() }
        guard let list = focusedList else {
            notice = Notice("this pane is no list to hold")
            return
        }
        let isFollowing = lists[focus]?.isFollowing ?? true
        let holding = list.holding(presentViewModel, rows: focusedRows)
        lists[focus, default: ListState()].position = isFollowing ? holding : .following
    }

    mutating func copySelected() -> [DashboardCommand] {
        let number = focusedList?.selected(presentViewModel, rows: focusedRows)
        guard let number, let copied = PaneCatalogue.pane(focus)?.copy(presentViewModel, of: number)
        else {
            notice = Notice("nothing to copy here: \(PaneCatalogue.logs) have lines")
            return []
        }
        guard copied.text.utf8.count <= CopiedText.limit else {
            let limit = CountFormatter.count(CopiedText.limit, "byte")
            notice = Notice("not copied: \(copied.name) has more than \(limit)")
            return []
        }
        return [.copy(copied)]
    }

    /// Moves to the next match of the last filter of this list, which need not be applied any more.
    mutating func moveToMatch(older isOlder: Bool) {
        guard let list = focusedList else {
            notice = Notice("nothing to search here: \(PaneCatalogue.logs) can be")
            return
        }
        guard let search = lists[focus]?.search, !search.isEmpty else {
            let write = configuration.keys.name(of: .openFilter)
            let keep = configuration.keys.name(of: .keepFilter)
            notice = Notice(
                "nothing to search for: write a filter with \(write), and keep it with \(keep)"
            )
            return
        }
        guard let position = list.position(ofNext: isOlder, presentViewModel, rows: focusedRows)
        else {
            notice = Notice("no \(isOlder ? "older" : "newer") line matches /\(search.text)")
            return
        }
        lists[focus]?.position = position
    }

    private mutating func scroll(_ move: ListMove) {
        guard let open = overlay else { return }
        let body = Area(columns: columns, rows: max(0, rows - rowsAbove - 1))
        let document = open.document(presentViewModel)
        let limit = OverlayView.limit(for: document, in: body)
        let step = move.rows(height: body.rows - 2)
        let aim = step.map { min(open.scroll, limit) + $0 } ?? (move == .start ? 0 : limit)
        overlay?.scroll = min(max(0, aim), limit)
    }
}

/// Commands whose keys are named in texts.
extension KeyCommand {
    static let openFilter = KeyCommand(
        keys: ["/"],
        modes: [.panes, .faults, .experiments],
        section: .lists,
        name: "filter",
        hint: "filter",
        help: "filter the list",
        effect: .change { $0.openPrompt() }
    )

    package static let openDetail = KeyCommand(
        keys: [.enter],
        section: .lists,
        name: "detail",
        hint: "detail",
        help: "open what is selected",
        effect: .change { $0.openDetail() }
    )
}

extension KeyTable {
    static let lists: [KeyCommand] = entries + moves.map(\.command)

    private static let entries: [KeyCommand] = [
        .openFilter,
        KeyCommand(
            keys: ["/"],
            modes: [.overlay],
            section: .lists,
            name: "filter",
            hint: "search",
            help: "search a text: the lines that match",
            effect: .change { $0.overlay?.isSearching = true }
        ),
        KeyCommand(
            keys: ["n"],
            section: .lists,
            name: "next_match",
            help: "to the next match of the last filter, older",
            effect: .change { $0.moveToMatch(older: true) }
        ),
        KeyCommand(
            keys: ["N"],
            section: .lists,
            name: "previous_match",
            help: "newer",
            joinsPrevious: true,
            effect: .change { $0.moveToMatch(older: false) }
        ),
        .openDetail,
        KeyCommand(
            keys: ["y"],
            section: .lists,
            name: "copy",
            help: "copy it: a request as curl, others as Markdown",
            effect: .run { $0.copySelected() }
        ),
        KeyCommand(
            keys: ["F"],
            section: .lists,
            name: "hold",
            hint: KeyCommand.Hint { $0.isFollowing($0.focus) ? "hold  " : "follow" },
            help: "hold the list, or follow it",
            effect: .change { $0.toggleFollow() }
        ),
    ]

    /// The steps in every list and text.
    static let moves: [(move: ListMove, command: KeyCommand)] = [
        (.down, move(["j", .down], .down, name: "down", "down")),
        (
            .up,
            move(
                ["k", .up],
                .up,
                name: "up",
                "up; to older, newer in the lifeline",
                joinsPrevious: true
            )
        ),
        (.halfPageDown, move([.control("d")], .halfPageDown, "half a page down")),
        (.halfPageUp, move([.control("u")], .halfPageUp, "up", joinsPrevious: true)),
        (.pageDown, move([.pageDown], .pageDown, "a page down")),
        (.pageUp, move([.pageUp], .pageUp, "up", joinsPrevious: true)),
        (.start, move(["g", .home], .start, "to the newest, and follow")),
        (.end, move(["G", .end], .end, "to the oldest", joinsPrevious: true)),
    ]

    private static func move(
        _ keys: [Key],
        _ move: ListMove,
        name: String? = nil,
        _ help: String,
        joinsPrevious: Bool = false
    ) -> KeyCommand {
        KeyCommand(
            keys: keys,
            modes: [.panes, .overlay, .choice, .faults, .experiments],
            section: .lists,
            name: name,
            hint: name.map { KeyCommand.Hint($0, in: [.overlay, .choice]) },
            help: help,
            joinsPrevious: joinsPrevious,
            isInPalette: false,
            effect: .change { $0.move(move) }
        )
    }
}
