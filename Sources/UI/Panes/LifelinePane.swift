import Basics
import Model

/// Generations, requests, sockets and events on one time axis.
enum LifelinePane: Pane {
    static let id = PaneID(rawValue: 5)
    static let title = "Lifeline"
    static let extent = PaneExtent(
        isHalf: false,
        minimum: 5,
        comfortable: 6,
        maximum: 6,
        givesWay: true
    )
    static let legend: [Line] = [
        "\("━", .good) token in use, socket open   \("┄", .dim) not in use, not expired",
        "\("├┤", .identity) begin and end   \("┼", .identity) both   \("?", .warning) assumed end   "
            + "\("✗", .bad) refused",
        "\("·", .plain) answered   \("◐", .busy) awaited   \("✗", .bad) refused   "
            + "\("!", .bad) failed   \("╋", .good) socket switched",
        "\("●", .good) begins   \("+", .good) renewed   \("⚠", .warning) trouble   "
            + "\("✗ ○", .bad) ends   \("‖", .busy) paused   \("z", .dim) asleep",
        "\("▲", .plain) now   \("▼", .busy) renews   \("░", .dim) no longer kept",
    ]
    private static let zoomIn = KeyCommand(
        keys: ["+", "=", ")"],
        section: .lifeline,
        name: "zoom_in",
        help: "zoom in",
        effect: .change { $0.moveLifeline(.zoomIn) }
    )
    private static let zoomOut = KeyCommand(
        keys: ["-", "("],
        section: .lifeline,
        name: "zoom_out",
        help: "out",
        joinsPrevious: true,
        effect: .change { $0.moveLifeline(.zoomOut) }
    )
    /// Each has a key that is not one of the replay's.
    static let keys = [
        KeyCommand(
            keys: [.left, "<"],
            section: .lifeline,
            name: "earlier",
            help: "a column back",
            effect: .change { $0.moveLifeline(.earlier) }
        ),
        KeyCommand(
            keys: [.right, ">"],
            section: .lifeline,
            name: "later",
            help: "a column forward",
            joinsPrevious: true,
            effect: .change { $0.moveLifeline(.later) }
        ),
        zoomIn,
        zoomOut,
    ]

    /// Columns for the names of the rows.
    private static let nameWidth = 9

    /// Returns the columns of the axis in a pane with a number of columns inside.
    static func axisColumns(of columns: Int) -> Int { max(1, columns - nameWidth) }

    /// Returns the place on the axis of a column inside the pane, or `nil` if it is not on it.
    static func place(ofColumn column: Int, of columns: Int) -> Int? {
        let place = column - nameWidth
        return place >= 0 && place < axisColumns(of: columns) ? place : nil
    }

    static func window(_ viewModel: ViewModel, columns: Int) -> LifelineWindow {
        let axis = axisColumns(of: columns)
        return LifelineWindow(
            column: span(viewModel).column(over: axis),
            columns: axis,
            clock: viewModel.clock,
            held: viewModel.lifeline.held,
            step: axis / 5
        )
    }

    /// Three lives of an access token unless the user chose a span, but not much more than there is
    /// to see, and at least a minute.
    static func span(_ viewModel: ViewModel) -> LifelineSpan {
        let view = viewModel.lifeline
        if let span = view.held?.span ?? view.span { return span }
        let session = viewModel.session
        let deadline = (session.current ?? session.generations.last)?.pair.accessExpiry
        guard let deadline else { return .minute }
        let age = session.firstEventAt.map(viewModel.clock.passed) ?? 0
        return .shortest(for: max(60, min(3 * deadline.statedLifetime, age)))
    }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let window = window(viewModel, columns: columns)
        let seconds = window.seconds
        let duration =
            seconds < 1 ? DurationFormatter.short(seconds) : DurationFormatter.long(seconds)
        let scale = Line("1 column = \(duration)", .dim)
        let position =
            viewModel.lifeline.isFollowing ? Line("following", .dim) : Line("‖ held", .busy)
        let names = [zoomIn, zoomOut].map(viewModel.keys.name(of:)).joined(separator: " ")
        let keys = viewModel.focus == id ? Line("\(names) zoom", .dim) : Line()
        let dot = Line(" · ", .dim)
        return [
            [scale, keys, position].joined(by: dot), [scale, position].joined(by: dot), position,
        ]
    }

    static func lines(_ viewModel: ViewModel, columns: Int, rows: Int) -> [Line] {
        let session = viewModel.session
        guard
            !session.generations.isEmpty || !session.requests.isEmpty
                || !session.history.entries.isEmpty
        else { return empty(columns: columns) }
        let window = window(viewModel, columns: columns)
        let lifeline = Lifeline(session, window: window, clock: viewModel.clock)
        var lines = RankedLines()
        lines.add(0, line("access", lifeline.lanes[0], window))
        lines.add(0, line("", lifeline.lanes[1], window))
        lines.add(2, line("requests", lifeline[.requests], window))
        if session.capabilities?.hasFeed != false || !session.feed.sockets.isEmpty {
            lines.add(4, line("feed", lifeline[.feed], window))
        }
        lines.add(3, line("events", lifeline[.events], window))
        lines.add(window.cursor == nil ? 1 : 5, line("", lifeline.axis, window))
        if let cursor = window.cursor {
            let text = LifelineText(
                session: session,
                window: window,
                clock: viewModel.clock,
                keys: viewModel.keys,
                column: window.first + Int64(cursor)
            )
            let mark = Line("▸ ", .focus)
            lines.add(1, mark + Line.first(of: text.lines, fitting: columns - mark.width))
        }
        return lines.best(rows)
    }

    /// Enter opens what is under the cursor, in the overlay of its own pane.
    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? { nil }

    private static func empty(columns: Int) -> [Line] {
        [
            [Line("nothing has happened yet", .dim)],
            [
                Line("tokens, requests, sockets and renewals will appear here on one axis", .dim),
                Line("tokens, requests and renewals will appear here", .dim),
            ],
        ].map { Line.first(of: $0, fitting: columns) }
    }

    private static func line(
        _ name: String,
        _ cells: [Lifeline.Cell],
        _ window: LifelineWindow
    ) -> Line {
        var line = Line(name, .dim).fitted(to: nameWidth)
        // As bytes: a string takes long for each scalar that is appended.
        var bytes: [UInt8] = []
        var style = Style.plain
        for (place, cell) in cells.enumerated() {
            let own = place == window.cursor ? .selected : cell.style
            if own != style {
                line.append(String(decoding: bytes, as: UTF8.self), style)
                bytes.removeAll(keepingCapacity: true)
                style = own
            }
            bytes += cell.symbol.utf8
        }
        line.append(String(decoding: bytes, as: UTF8.self), style)
        return line
    }
}
