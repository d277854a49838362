import Basics
import Model

/// All that a frame is drawn from, but its size.
///
/// A class, because each row and each text of a frame keeps it.
final class ViewModel: Sendable {
    let session: SessionSnapshot
    let clock: ViewClock
    let focus: PaneID
    let lists: [PaneID: ListState]
    let lifeline: LifelineView
    let faults: [String]
    /// The content type of the user's own request.
    let bodyType: String
    let keys: KeyMap
    /// The position in the recording that is shown, or `nil` if the events happen now.
    let playback: Playback?
    /// The state of the sandbox's faults.
    let knownFaults: KnownFaults
    /// Whether the user only watches.
    let isReadOnly: Bool
    /// Whether the session is an app's, as a proxy sees it.
    let isObserved: Bool
    /// The addresses of that proxy, or `nil` in a replay.
    let proxy: ProxyRoutes?
    /// The state of all sessions.
    let book: SessionBook
    /// The id of the session in the book, or `nil` if it is not from there.
    let sessionID: SessionID?
    /// Whether the requests of all sessions of an app are listed.
    let listsAllSessions: Bool
    /// All sessions, if there are several.
    let sessions: [DashboardSession]
    /// The order of their table.
    let tableOrder: SessionOrder
    /// The table, or `nil` if a look at each session makes it.
    let table: SessionTable?

    init(
        session: SessionSnapshot,
        clock: ViewClock,
        focus: PaneID,
        lists: [PaneID: ListState] = [:],
        lifeline: LifelineView = LifelineView(),
        faults: [String] = [],
        bodyType: String = "application/json",
        keys: KeyMap = .standard,
        playback: Playback? = nil,
        knownFaults: KnownFaults = KnownFaults(),
        isReadOnly: Bool = false,
        isObserved: Bool = false,
        proxy: ProxyRoutes? = nil,
        book: SessionBook = SessionBook(),
        sessionID: SessionID? = nil,
        listsAllSessions: Bool = false,
        sessions: [DashboardSession] = [],
        tableOrder: SessionOrder = .urgency,
        table: SessionTable? = nil
    ) {
        self.session = session
        self.clock = clock
        self.focus = focus
        self.lists = lists
        self.lifeline = lifeline
        self.faults = faults
        self.bodyType = bodyType
        self.keys = keys
        self.playback = playback
        self.knownFaults = knownFaults
        self.isReadOnly = isReadOnly
        self.isObserved = isObserved || session.capabilities?.role == .observed
        self.proxy = proxy
        self.book = book
        self.sessionID = sessionID
        self.listsAllSessions = listsAllSessions
        self.sessions = sessions
        self.tableOrder = tableOrder
        self.table = table
    }

    /// The requests that are listed.
    var requests: BoundedLog<LoggedExchange> {
        listsAllSessions ? book.requests : session.requests
    }

    /// Returns the view model of the session to which a request in the list belongs.
    func showing(sessionOf request: LoggedExchange) -> ViewModel {
        guard listsAllSessions, request.session != sessionID else { return self }
        return showing(request.session)
    }

    /// Returns the view model of another session.
    func showing(_ id: SessionID) -> ViewModel {
        ViewModel(
            session: book[id],
            clock: clock,
            focus: focus,
            lists: lists,
            lifeline: lifeline,
            faults: faults,
            bodyType: bodyType,
            keys: keys,
            playback: playback,
            knownFaults: knownFaults,
            isReadOnly: isReadOnly,
            isObserved: isObserved,
            proxy: proxy,
            book: book,
            sessionID: id,
            listsAllSessions: listsAllSessions,
            sessions: sessions,
            tableOrder: tableOrder,
            table: table
        )
    }

    /// The facts that decide which commands are available.
    var keyContext: KeyContext {
        KeyContext(
            session: session,
            isReadOnly: isReadOnly,
            isObserved: isObserved,
            now: clock.exact.now,
            keys: keys
        )
    }

    func list(of pane: PaneID) -> ListState {
        lists[pane] ?? ListState()
    }

    /// Whether what a pane shows moves on with time.
    func isFollowing(_ pane: PaneID) -> Bool {
        pane == LifelinePane.id ? lifeline.isFollowing : list(of: pane).isFollowing
    }

    /// The names of generations in this run.
    var generations: GenerationText { GenerationText(logins: session.login) }

    /// When the access token may no longer be used, or `nil` if there is none, or its expiry is
    /// unknown.
    var usableUntil: Instant? {
        session.drainsAt ?? session.usableUntil ?? session.current?.pair.accessExpiry?.at
    }

    /// Whether the breaker holds renewals back at this moment.
    var breakerOpenUntil: Instant? {
        session.flags.breakerOpenUntil.flatMap { clock.isOver($0) ? nil : $0 }
    }
}
