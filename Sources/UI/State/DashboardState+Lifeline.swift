import Basics
import Model

/// The cursor of the lifeline, and its zoom.
extension DashboardState {
    private var lifeline: LifelineView {
        get { selected.lifeline }
        set { selected.lifeline = newValue }
    }

    /// The columns of the lifeline, or `nil` if it is not on the screen.
    private func lifelineWindow(_ viewModel: ViewModel) -> LifelineWindow? {
        currentLayout?.placement(of: LifelinePane.id).map {
            LifelinePane.window(viewModel, columns: $0.columns)
        }
    }

    mutating func moveLifeline(_ move: LifelineMove) {
        guard focus == LifelinePane.id else {
            notice = Notice("that moves in the lifeline: \(LifelinePane.id.rawValue) selects it")
            return
        }
        let viewModel = presentViewModel
        guard let window = lifelineWindow(viewModel) else { return }
        switch move {
        case .earlier: moveCursor(to: cursor(in: window) - 1, window, viewModel)
        case .later: moveCursor(to: cursor(in: window) + 1, window, viewModel)
        case .zoomIn: zoomLifeline(to: LifelinePane.span(viewModel).shorter)
        case .zoomOut: zoomLifeline(to: LifelinePane.span(viewModel).longer)
        }
    }

    /// The moves of a list, of which the newest entry is on top.
    mutating func moveLifeline(_ move: ListMove) {
        let viewModel = presentViewModel
        guard let window = lifelineWindow(viewModel) else { return }
        let cursor = cursor(in: window)
        switch move {
        case .down:
            let found = columns(of: viewModel.session, window).filter { $0 < cursor }.max()
            moveCursor(to: found ?? cursor, window, viewModel)
        case .up:
            let found = columns(of: viewModel.session, window).filter { $0 > cursor }.min()
            moveCursor(to: found ?? cursor, window, viewModel)
        case .start: lifeline.held = nil
        case .end:
            let first = viewModel.session.firstEventAt?.now
            moveCursor(to: oldest(viewModel.session, window), window, viewModel, preferring: first)
        case .halfPageDown, .halfPageUp, .pageDown, .pageUp:
            let steps = move.rows(height: window.columns) ?? 0
            moveCursor(to: cursor - Int64(steps), window, viewModel)
        }
    }

    mutating func toggleFollowLifeline() {
        let viewModel = presentViewModel
        guard lifeline.isFollowing, let window = lifelineWindow(viewModel) else {
            lifeline.held = nil
            return
        }
        moveCursor(to: window.now, window, viewModel)
    }

    /// The wheel, over any column.
    mutating func turnLifeline(_ kind: MouseEvent.Kind) {
        let span = LifelinePane.span(presentViewModel)
        zoomLifeline(to: kind == .wheelUp ? span.shorter : span.longer)
    }

    /// Puts the cursor into the column under the pointer, or opens what is there if it is in it
    /// already.
    mutating func clickLifeline(column: Int, columns: Int) {
        let viewModel = presentViewModel
        guard let place = LifelinePane.place(ofColumn: column, of: columns),
            let window = lifelineWindow(viewModel)
        else { return }
        guard window.cursor != place else { return openFromLifeline() }
        moveCursor(to: window.first + Int64(place), window, viewModel)
    }

    /// Opens the worst of what is under the cursor; the newest event while following.
    mutating func openFromLifeline() {
        let viewModel = presentViewModel
        guard let window = lifelineWindow(viewModel) else { return }
        let newest = columns(of: viewModel.session, window).max() ?? window.now
        let column = window.cursor.map { window.first + Int64($0) } ?? newest
        let text = LifelineText(
            session: viewModel.session,
            window: window,
            clock: viewModel.clock,
            keys: viewModel.keys,
            column: column
        )
        guard let detail = detail(of: text, viewModel.session) else {
            notice = Notice("nothing to open here")
            return
        }
        overlay = OpenOverlay(detail)
    }

    private func detail(of text: LifelineText, _ session: SessionSnapshot) -> Overlay? {
        switch text.facts.first?.source {
        case .request(let number): return .detail(RequestsPane.id, number: number)
        case .event(let number): return .detail(HistoryPane.id, number: number)
        case .socket(let number):
            let line = session.feed.sockets.entry(numbered: number)?.line
            return line.map { .detail(FeedPane.id, number: $0) }
        case nil:
            guard let generation = text.generation else { return nil }
            let issued = session.history.entries.last { entry in
                guard entry.kind is TokensIssued else { return false }
                return entry.login == generation.login && entry.generation == generation.generation
            }
            return issued.map { .detail(HistoryPane.id, number: $0.number) }
        }
    }

    private mutating func zoomLifeline(to span: LifelineSpan) {
        lifeline.span = span
        lifeline.held?.span = span
    }

    private func cursor(in window: LifelineWindow) -> Int64 {
        window.cursor.map { window.first + Int64($0) } ?? window.now
    }

    /// The picture moves only if the column is outside.
    ///
    /// The cursor is at what happened in the column, so that zooming in leads there.
    private mutating func moveCursor(
        to column: Int64,
        _ window: LifelineWindow,
        _ viewModel: ViewModel,
        preferring instant: Instant? = nil
    ) {
        let first = oldest(viewModel.session, window)
        let column = min(max(column, first), max(first, newest(viewModel.session, window)))
        let place = min(max(0, column - window.first), Int64(window.columns - 1))
        lifeline.held = LifelineView.Held(
            cursor: [instant, focus(of: column, window, viewModel)].compactMap(\.self)
                .first { window.column(of: $0) == column } ?? window.middle(of: column),
            column: Int(place),
            span: LifelinePane.span(viewModel)
        )
    }

    /// The instant of the worst of what is in a column, or the present, if it is in the column.
    private func focus(of column: Int64, _ window: LifelineWindow, _ viewModel: ViewModel)
        -> Instant?
    {
        let text = LifelineText(
            session: viewModel.session,
            window: window,
            clock: viewModel.clock,
            keys: viewModel.keys,
            column: column
        )
        return text.facts.first?.at ?? (column == window.now ? viewModel.clock.exact.now : nil)
    }

    private func columns(of session: SessionSnapshot, _ window: LifelineWindow) -> Set<Int64> {
        var columns: Set<Int64> = []
        LifelineFact.forEach(of: session) { columns.insert(window.column(ofPast: $0.at)) }
        return columns
    }

    /// The column of the first event, or of what it told of the time before.
    private func oldest(_ session: SessionSnapshot, _ window: LifelineWindow) -> Int64 {
        let start = session.firstEventAt.map { window.column(ofPast: $0.now) } ?? window.now
        return min(start, columns(of: session, window).min() ?? start)
    }

    /// The last column that has a meaning.
    private func newest(_ session: SessionSnapshot, _ window: LifelineWindow) -> Int64 {
        let pair = session.current?.pair
        let ends = [
            session.renewalPlan?.renewsAt, pair?.accessExpiry?.statedEnd,
            pair?.refreshExpiry?.statedEnd,
        ]
        return ends.compactMap { $0.map(window.column(of:)) }.reduce(window.now, max)
    }
}
