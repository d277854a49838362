package import Basics
import Model

/// The whole dashboard as a value: events and keys in, commands and grids out.
package struct DashboardState: Sendable, Equatable {
    package internal(set) var configuration: DashboardConfiguration
    var sessions: [DashboardSession] {
        didSet { indexSessions() }
    }
    /// The places of the sessions.
    private(set) var places: [SessionID: Int] = [:]
    /// The sessions in the order of the table, if there is a glance at each.
    var table: SessionTable?
    var tableOrder = SessionOrder.urgency
    /// The session that was looked at last in its turn.
    var lastGlance = 0
    /// When the next ones are looked at in their turn, or `nil` at once.
    var nextGlanceAt: Instant?
    var book: SessionBook
    /// The session that the panes show.
    var selection: SessionID?
    var focus = PaneCatalogue.first
    var overlay: OpenOverlay?
    var prompt: PanePrompt?
    var notice: Notice?
    /// The lock that hides everything else, or `nil` if the screen is unlocked.
    var lock: ScreenLock?
    /// The position in the recording that is shown, or `nil` if the events happen now.
    var playback: Playback?
    /// The appearance of the grid.
    package internal(set) var theme: Theme
    var columns = 80
    var rows = 24
    /// When the newest event happened: what `update` takes for the present.
    var lastMoment: Moment?
    /// When the last key was pressed, or the first frame drawn.
    var lastKeyAt: Instant?
    /// Whether the focused pane has the whole screen.
    var isZoomed = false
    /// By how many seconds the program's wall clock is shifted.
    var clockShift = 0.0
    /// Whether the sessions are an app's, as a proxy sees them.
    var isObserved: Bool
    /// Whether the requests of all sessions of an app are listed.
    var listsAllSessions = false
    /// Whether the user has chosen the session that the panes show.
    var hasChosenSession = false
    /// The kind of app whose page was chosen while the proxy waits for one.
    var chosenKind: AppGuide.Kind?
    /// Whether the terminal has reported that it is in the background.
    var isInBackground = false
    /// The requested pauses that no event has confirmed yet, from which the next key continues.
    var askedPauses: [SessionID: AskedPause] = [:]

    /// - Parameters:
    ///   - configuration: The settings that are fixed before the first frame.
    ///   - sessions: The sessions before their first events; others may follow.
    ///   - isObserved: Whether they are an app's, as in the recording of a proxy.
    package init(
        configuration: DashboardConfiguration = DashboardConfiguration(),
        sessions: [DashboardSession] = [],
        isObserved: Bool = false
    ) {
        self.configuration = configuration
        self.sessions = sessions
        book = SessionBook(ids: sessions.map(\.id))
        selection = sessions.first?.id
        self.isObserved = isObserved || configuration.proxy != nil
        if self.isObserved { focus = FindingsPane.id }
        theme = configuration.hasColor ? configuration.theme : .plain
        indexSessions()
        if hasGlances { beginGlances() }
    }

    /// Notes the places again if there are others: mostly one more.
    private mutating func indexSessions() {
        guard sessions.count != places.count else { return }
        if sessions.count == places.count + 1, let last = sessions.last, places[last.id] == nil {
            places[last.id] = sessions.count - 1
            return
        }
        let ids = sessions.enumerated().map { ($1.id, $0) }
        places = Dictionary(ids) { first, _ in first }
    }

    /// Where keys go.
    var mode: KeyMode {
        if lock != nil { return .locked }
        if prompt != nil { return .prompt }
        switch overlay?.content {
        case nil where playback != nil: return .replay
        case nil: return isWaiting ? .waiting : .panes
        case .question: return .question
        case .login: return .form
        case .authorization: return .authorization
        case .request: return .request
        case .palette: return .palette
        case .sessions: return .choice
        case .faults(let choice):
            if choice.isFiltering { return .prompt }
            return faultList?.section == .backend ? .faults : .experiments
        case .help, .statistics, .detail, .introspections, .familyTree:
            return overlay?.isSearching == true ? .prompt : .overlay
        }
    }

    /// The screen at a moment.
    package func render(size: (columns: Int, rows: Int), now: Moment) -> Grid {
        let strip = hasSeveralSessions ? strip(at: now) : nil
        let frame = Frame(state: self, viewModel: viewModel(at: now), strip: strip)
        let grid = frame.draw(columns: size.columns, rows: size.rows)
        return configuration.isASCII ? grid.inASCII : grid
    }

    func viewModel(at now: Moment) -> ViewModel {
        viewModel(of: selected, at: now, besideOthers: hasSeveralSessions)
    }

    /// Returns the view model of a session, alone or beside the others.
    func viewModel(
        of session: DashboardSession,
        at now: Moment,
        besideOthers isBesideOthers: Bool = false
    ) -> ViewModel {
        ViewModel(
            session: book[session.id],
            clock: ViewClock(now: now, utcOffsetSeconds: configuration.utcOffsetSeconds),
            focus: focus,
            lists: session.lists,
            lifeline: session.lifeline,
            faults: book[session.id].faults ?? session.faults,
            bodyType: session.bodyType,
            keys: configuration.keys,
            playback: playback,
            knownFaults: session.knownFaults,
            isReadOnly: configuration.isReadOnly,
            isObserved: isObserved,
            proxy: configuration.proxy,
            book: book,
            sessionID: session.id,
            listsAllSessions: listsAllSessions,
            sessions: isBesideOthers ? shownSessions : [],
            tableOrder: isBesideOthers ? tableOrder : .urgency,
            table: isBesideOthers && hasGlances ? table : nil
        )
    }
}
