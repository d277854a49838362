import Basics
import Model

/// A column of the request table.
struct RequestColumn: Sendable {
    enum Width: Sendable {
        /// A number of columns, or `nil` where it has no room.
        case fixed(narrow: Int?, medium: Int?, wide: Int?)
        /// In the list of all sessions only.
        case session
        /// Two fifths of what the others leave, or all of it in a narrow table.
        case request
        /// The rest at last.
        case rest
    }

    /// Its heading, the longest way first.
    let headings: [String]
    let width: Width
    /// The blanks before it.
    var lead = 2
    var isFlushRight = false
    /// The texts of a request, the longest first.
    let ways: @Sendable (RequestRow) -> [Line]

    /// From left to right.
    static let all = [
        RequestColumn(headings: ["time"], width: .fixed(narrow: 8, medium: 8, wide: 12), lead: 0) {
            let formatter = $0.viewModel.clock.formatter
            let wall = $0.request.startedAt.wall
            return [Line(formatter.timeWithMilliseconds(wall)), Line(formatter.time(wall))]
        },
        RequestColumn(
            headings: ["#"],
            width: .fixed(narrow: nil, medium: 5, wide: 5),
            lead: 1,
            isFlushRight: true
        ) { [Line(String($0.exchange.id), .dim)] },
        RequestColumn(headings: ["session", "s"], width: .session) { row in
            let name = ObservedName.text(row.request.session, row.viewModel.session)
            return [Line(row.isWide ? name : row.request.session.description, .identity)]
        },
        RequestColumn(headings: ["request"], width: .request) {
            [RequestText.request($0.exchange, methodWidth: 4)]
        },
        RequestColumn(headings: ["status"], width: .fixed(narrow: 6, medium: 6, wide: 6)) {
            [Line(RequestText.status($0.exchange), RequestText.style($0.exchange))]
        },
        RequestColumn(
            headings: ["ms"],
            width: .fixed(narrow: 5, medium: 5, wide: 5),
            lead: 1,
            isFlushRight: true
        ) {
            let seconds = RequestText.seconds($0.request, $0.viewModel.clock)
            return [Line(DurationFormatter.milliseconds(seconds))]
        },
        RequestColumn(headings: ["token"], width: .fixed(narrow: 6, medium: 6, wide: 7)) {
            RequestText.token($0.request, $0.viewModel.generations)
        },
        RequestColumn(headings: ["why"], width: .fixed(narrow: nil, medium: nil, wide: whyWidth)) {
            [$0.why, $0.briefWhy]
        },
        RequestColumn(headings: ["what followed"], width: .rest) { $0.followed },
    ]

    static let whyWidth = 12
}

/// A request with what its row needs to be drawn.
struct RequestRow {
    let request: LoggedExchange
    /// Of the session to which it belongs.
    let viewModel: ViewModel
    /// Whether the table has milliseconds in the time, and a column for the reason.
    let isWide: Bool

    var exchange: Exchange { request.exchange }

    /// The experiment's name has no room here; the details have it.
    var why: Line {
        Line(exchange.why.isExperiment ? "experiment" : CauseText().text(exchange.why), .dim)
    }

    /// The same in the fewest words.
    var briefWhy: Line { CauseText().brief(exchange.why).map { Line($0, .dim) } ?? why }

    /// The follow-up, unless the column of the reason says so.
    var followed: [Line] {
        let ways = viewModel.session.followUp(of: request).map {
            FollowUpText.ways($0, of: request, viewModel)
        }
        let isSaid = isWide && ways == [why] && why.width <= RequestColumn.whyWidth
        return isSaid ? [] : ways ?? []
    }
}

/// The columns of the request table at a width; the less important ones go first.
struct RequestColumns {
    let isWide: Bool
    /// Those that are shown, with their widths.
    private let columns: [(column: RequestColumn, width: Int)]

    /// - Parameters:
    ///   - columns: The width of the table.
    ///   - hasSession: Whether the rows belong to several sessions.
    init(columns: Int, hasSession: Bool = false) {
        let isWide = columns >= 108
        let isNarrow = columns < 70
        func fixed(_ column: RequestColumn) -> Int? {
            switch column.width {
            case .fixed(let narrow, let medium, let wide):
                isWide ? wide : isNarrow ? narrow : medium
            case .session: hasSession ? (isWide ? 14 : 3) : nil
            case .request: 0
            case .rest: isNarrow ? nil : 0
            }
        }
        let shown = RequestColumn.all.compactMap { column in fixed(column).map { (column, $0) } }
        let room = columns - shown.reduce(0) { $0 + $1.0.lead + $1.1 }
        // `POST /api/auth/refresh` is 22 columns.
        let wanted = min(48, max(18, min(22, room - 18), room * 2 / 5))
        let request = isNarrow ? max(8, room) : wanted
        self.isWide = isWide
        self.columns = shown.compactMap { column, width in
            switch column.width {
            case .fixed, .session: (column, width)
            case .request: (column, request)
            case .rest: room > request ? (column, room - request) : nil
            }
        }
    }

    var heading: Line {
        line { column in column.headings.map { Line($0, .dim) } }
    }

    func line(_ row: RequestRow) -> Line {
        line { $0.ways(row) }
    }

    private func line(_ ways: (RequestColumn) -> [Line]) -> Line {
        columns.reduce(into: Line()) { line, shown in
            let (column, width) = shown
            var cell = Line.first(of: ways(column), fitting: width)
            // Nothing follows the last one.
            if case .rest = column.width {
            } else {
                cell = cell.fitted(to: width, flushRight: column.isFlushRight)
            }
            line += .blank(column.lead)
            line += cell
        }
    }
}
