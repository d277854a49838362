package import FoundationEssentials
import Model
package import Stores

/// The sessions of this machine on the screen, as a value.
package struct LocalScreen {
    /// The user's choice of what comes next.
    package enum Choice: Sendable, Hashable {
        case quit
        case watch(profile: String, baseURL: String?)
        case logIn(profile: String, baseURL: String?)
        case refresh(profile: String, baseURL: String?)
        case logOut(profile: String, baseURL: String?)
        case proxy
        case demo
    }

    enum Page: Sendable, Hashable {
        case table
        case detail
        case guide(LocalGuide)
        case help
    }

    package var sessions = LocalSessions() {
        didSet { arrangement = nil }
    }
    /// Authtop's own sessions, and the profiles without one.
    package var own: [LocalRow] = [] {
        didSet { arrangement = nil }
    }
    /// The places that were looked at, by the names of their programs.
    let titles: [String]
    /// Whether these are all places of this machine, and none that the user has chosen.
    let isWhole: Bool
    let text: StoreText
    let clock: ClockFormatter
    package let keys: KeyMap
    var list = LocalList() {
        didSet { arrange(at: now) }
    }
    var page = Page.table
    /// The first line of a text that is shown.
    var scroll = 0
    /// The filter that is being written.
    var prompt: FilterPrompt?
    package var palette: Palette?
    var notice: Notice?
    /// The moment of the newest key or picture.
    private(set) var now = Date.distantPast
    /// All rows at that moment, or `nil` if the sessions have changed since.
    private(set) var arrangement: LocalArrangement?
    /// The columns of all rows, or `nil` if these have changed since the newest picture.
    private var table: LocalTable?
    /// The rows that are in sight.
    private(set) var window = ListWindow(Self.nothing, state: ListState(), height: 0) { _, _ in true
    }
    /// The rows of the list, or of a text, in the newest picture.
    var height = 10 {
        didSet { if height != oldValue { arrange(at: now) } }
    }

    package init(
        titles: [String],
        isWhole: Bool = true,
        clock: ClockFormatter,
        home: String?,
        keys: KeyMap = .standard,
        notice: String? = nil
    ) {
        self.titles = titles
        self.isWhole = isWhole
        self.clock = clock
        self.keys = keys
        self.notice = notice.map { Notice($0, isWarning: false) }
        text = StoreText(clock: clock, home: home)
    }

    package var pageMode: KeyMode {
        prompt != nil ? .prompt : page == .table ? .panes : .overlay
    }

    /// Puts the rows in order for a moment, if they are not, and finds those that are in sight.
    mutating func arrange(at moment: Date) {
        now = moment
        if arrangement?.holds(at: now, by: list.order) != true {
            arrangement = LocalArrangement(sessions, own: own, by: list.order, at: now, text)
            table = nil
        }
        window = list.window(of: entries, height: height, at: now, text)
    }

    private static let nothing = BoundedLog<LocalList.Entry>(limit: 0)

    private var entries: BoundedLog<LocalList.Entry> { arrangement?.entries ?? Self.nothing }

    /// Returns the table of all rows at a width.
    mutating func table(columns: Int) -> LocalTable {
        if let table, table.room == columns { return table }
        let table = LocalTable(entries.map(\.row), columns: columns, text: text)
        self.table = table
        return table
    }

    var selected: LocalRow? { window.selected?.row }
    var hasRows: Bool { !entries.isEmpty }

    /// Whether the selected session is authtop's own, or a profile without one.
    var isOwnSelected: Bool {
        switch page {
        case .table, .detail: selected?.profile != nil
        case .guide, .help: false
        }
    }
}

// MARK: - Keys

extension LocalScreen {
    /// In lines.
    private static let pastEveryText = 1_000_000

    /// Applies a key at a moment.
    ///
    /// - Returns: What it leads to, or `nil` if the screen stays.
    package mutating func press(_ key: Key, at now: Date) -> ScreenOutcome<Choice>? {
        arrange(at: now)
        notice = nil
        return perform(key)
    }

    mutating func open(_ page: Page) {
        guard page != .detail || selected != nil else { return }
        self.page = page
        scroll = 0
    }

    mutating func move(_ move: ListMove) {
        guard page == .table else {
            let step = move.rows(height: height)
            // The picture limits it to what there is.
            let end = move == .start ? 0 : Self.pastEveryText
            return scroll = step.map { max(0, scroll + $0) } ?? end
        }
        list.move(move, in: entries, height: height, at: now, text)
    }

    mutating func sort() {
        list.order = list.order.next
        notice = Notice("sorted by \(list.order.rawValue)", isWarning: false)
    }

    mutating func undo() {
        if list.filter.isEmpty { list.toStart() } else { list.show(Filter()) }
    }

    mutating func choose(
        _ choice: (_ profile: String, _ baseURL: String?) -> Choice
    ) -> ScreenOutcome<Choice>? {
        guard let row = selected, let profile = row.profile else {
            notice = obstacleToOwn.map { Notice($0) }
            return nil
        }
        return .leave(choice(profile, row.baseURL))
    }

    /// Why the selected session cannot be acted on, or `nil` if it can.
    var obstacleToOwn: String? {
        guard let row = selected else { return "there is no session" }
        guard row.profile == nil else { return nil }
        return "\(row.title): only what authtop keeps itself can be acted on here"
    }

    // MARK: - The filter

    mutating func openFilter() {
        prompt = FilterPrompt(fields: LocalList.fields, text: list.filter.text)
    }

    mutating func keepFilter() {
        guard var closing = prompt else { return }
        prompt = closing.close() ? nil : closing
    }

    mutating func clearFilter() {
        edit(.eraseAll)
        prompt = nil
    }

    /// The list follows the filter as it is written.
    package mutating func edit(_ edit: FormEdit) {
        palette?.apply(edit)
        guard var prompt else { return }
        prompt.apply(edit)
        self.prompt = prompt
        list.show(prompt.filter)
    }
}
