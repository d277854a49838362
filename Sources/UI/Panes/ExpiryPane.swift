import Basics
import Model
import Profiles

/// When the tokens die and when they are renewed.
enum ExpiryPane: Pane {
    static let id = PaneID(rawValue: 2)
    static let title = "Expiry"
    static let extent = PaneExtent(isHalf: true, minimum: 4, comfortable: 5, maximum: 7)
    static let legend: [Line] = [
        "\("█", .good) life left   \("┃", .strong) here it is renewed   \("░", .dim) spent"
    ]

    static func lines(_ viewModel: ViewModel, columns: Int, rows: Int) -> [Line] {
        guard let current = viewModel.session.current else {
            return [Line("nothing to expire", .dim)]
        }
        var lines = RankedLines()
        let pair = current.pair
        let access = ExpiryRow(.access, pair.accessExpiry, viewModel)
        lines.add(0, access.text(columns: columns))
        lines.add(1, access.bar(columns: columns))
        if pair.refresh != nil || viewModel.session.refreshTokenProblem != nil {
            let refresh = ExpiryRow(.refresh, pair.refreshExpiry, viewModel)
            lines.add(2, refresh.text(columns: columns))
            lines.add(3, refresh.bar(columns: columns))
        }
        if let end = pair.sessionEnd {
            lines.add(2, Line.first(of: session(end, pair, viewModel), fitting: columns))
        }
        for mismatch in mismatches(pair) + unusable(pair) {
            lines.add(3, Line.first(of: mismatch, fitting: columns))
        }
        if let refusal = viewModel.session.earlyRefusal {
            let place = viewModel.session.lifetimePlace
            let ways = RefusalText.early(refusal, place: place).map { Line("⚠ \($0)", .warning) }
            // A fact without a conclusion gives way to the clock.
            let rank = refusal.milliseconds == .unlikely ? 7 : 3
            lines.add(rank, Line.first(of: ways, fitting: columns))
        }
        let sources = ExpirySources(viewModel: viewModel, pair: pair)
        if rows >= 6 {
            lines.add(4, Line.first(of: sources.renewal, fitting: columns))
            lines.add(5, Line.first(of: sources.origin, fitting: columns))
        } else {
            lines.add(4, Line.first(of: sources.both, fitting: columns))
        }
        lines.add(6, Line.first(of: sources.clock, fitting: columns))
        return lines.best(rows)
    }

    /// When the session ends whatever is renewed, and whether its refresh token ends before that.
    private static func session(
        _ end: Instant,
        _ pair: PairDescription,
        _ viewModel: ViewModel
    ) -> [Line] {
        let when = viewModel.clock.when(end)
        guard !viewModel.clock.isOver(end) else {
            return [
                Line("session  at its longest life since \(when)", .warning),
                Line("session  over since \(when)", .warning),
            ]
        }
        let left = DurationFormatter.steady(viewModel.clock.left(until: end))
        let label = Line("session  ", .dim)
        let style = SessionEndText.style(end, pair, viewModel)
        let way = pair.endsByAge ? "log in by" : "unless idle: by"
        return [
            label + Line("\(left) left, \(way) \(when)", style),
            label + Line("\(left), \(way) \(when)", style), label + Line("\(way) \(when)", style),
        ]
    }

    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? {
        viewModel.session.current.map { ExpiryDetail(pair: $0.pair, viewModel: viewModel).document }
    }

    /// Statements that are not used although another one is; without another, the token's own row
    /// says so.
    private static func unusable(_ pair: PairDescription) -> [[Line]] {
        let all = [
            ("access", pair.accessExpiry, pair.unusableExpiries.access),
            ("refresh", pair.refreshExpiry, pair.unusableExpiries.refresh),
        ]
        return all.compactMap { name, deadline, statements in
            guard deadline != nil, let statement = statements.first else { return nil }
            let text = ExpiryText.unusable(statement)
            return [
                Line("⚠ \(name): \(text): not used", .warning),
                Line("⚠ \(name): \(text)", .warning), Line("⚠ \(text)", .warning),
            ]
        }
    }

    private static func mismatches(_ pair: PairDescription) -> [[Line]] {
        let expiries = [("access", pair.accessExpiry), ("refresh", pair.refreshExpiry)]
        return expiries.compactMap { name, deadline in
            guard let expiry = deadline?.expiry, let text = ExpiryText.mismatch(expiry) else {
                return nil
            }
            return [
                Line("⚠ \(name): \(text): the earlier counts", .warning),
                Line("⚠ \(name): \(text)", .warning), Line("⚠ \(text)", .warning),
            ]
        }
    }
}
