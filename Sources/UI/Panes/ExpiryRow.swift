import Basics
import Model
import Profiles

/// One token's life: words and a bar.
struct ExpiryRow {
    private let kind: TokenKind
    private let deadline: Deadline?
    private let viewModel: ViewModel

    init(_ kind: TokenKind, _ deadline: Deadline?, _ viewModel: ViewModel) {
        self.kind = kind
        self.deadline = deadline
        self.viewModel = viewModel
    }

    func text(columns: Int) -> Line {
        let label = Line(kind.rawValue, .dim).fitted(to: columns >= 44 ? 9 : 8)
        if let problem { return text(problem, after: label, columns) }
        guard let deadline else { return label + Line(unknown, .warning) }
        let when = viewModel.clock.when(deadline.statedEnd)
        if viewModel.clock.isOver(deadline.statedEnd) {
            let text = Line("\(kind == .access ? "dead" : "expired")", .bad)
            let since = ExpiryText.endMark(deadline.expiry) + when
            return Line.spread(label + text, "\("since", .dim) \(since)", over: columns)
        }
        let left = DurationFormatter.steady(viewModel.clock.left(until: deadline.statedEnd))
        let approximate = ExpiryText.mark(deadline.expiry.isApproximate)
        let whole = approximate + DurationFormatter.long(lifetime(deadline))
        let sure = ExpiryText.endMark(deadline.expiry)
        let ends = [Line("\(endText) ", .dim) + "\(sure)\(when)", "\(sure)\(when)"]
        let lives: [Line] = [
            "\(left, style) of \(whole) left", "\(left, style) of \(whole)", "\(left, style)",
        ]
        for (life, end) in [(0, 0), (1, 0), (1, 1), (2, 1)] {
            let width = label.width + lives[life].width + ends[end].width + 1
            if width <= columns || (life, end) == (2, 1) {
                return Line.spread(label + lives[life], ends[end], over: columns)
            }
        }
        return label
    }

    /// `refused`, and when it was to expire.
    private func text(_ problem: RefreshTokenProblem, after label: Line, _ columns: Int) -> Line {
        let what = label + Line(TokenText.name(problem), .bad)
        guard let deadline else { return what }
        let when = ExpiryText.endMark(deadline.expiry) + viewModel.clock.when(deadline.statedEnd)
        let stated = Line("stated end ", .dim) + Line(when)
        let width = what.width + stated.width + 1
        return Line.spread(what, width <= columns ? stated : Line(when), over: columns)
    }

    /// Why a refresh token renews nothing any more, although it may not have expired.
    private var problem: RefreshTokenProblem? {
        kind == .refresh ? viewModel.session.refreshTokenProblem : nil
    }

    func bar(columns: Int) -> Line {
        guard problem == nil else {
            return LifeBar(left: 0, of: 1, renewsAt: nil).line(columns: columns, style: .bad)
        }
        guard let deadline else { return Line(String(repeating: "·", count: columns), .dim) }
        let isOver = viewModel.clock.isOver(deadline.statedEnd)
        let bar = LifeBar(
            left: isOver ? 0 : viewModel.clock.left(until: deadline.statedEnd),
            of: lifetime(deadline),
            renewsAt: renewal.map { deadline.statedEnd.seconds(since: $0) }
        )
        return bar.line(columns: columns, style: style)
    }

    /// Why it is not known when it ends.
    private var unknown: String {
        let statements = viewModel.session.current?.pair.unusableExpiries
        let own = kind == .access ? statements?.access : statements?.refresh
        return own?.first.map(ExpiryText.unusable) ?? "nothing says when it ends"
    }

    /// A refresh token that no renewal replaces ends the session.
    private var endText: String {
        let isFixed = kind == .refresh && viewModel.session.capabilities?.rotation == .never
        return isFixed ? "log in by" : "expires"
    }

    private var renewal: Instant? {
        kind == .access ? RenewalText(viewModel: viewModel).renewsAt : nil
    }

    private var style: Style {
        guard let deadline else { return .dim }
        if kind == .access, let usableUntil = viewModel.session.usableUntil {
            if viewModel.clock.isOver(usableUntil) { return .bad }
            return RenewalText(viewModel: viewModel).isInOrder ? .good : .warning
        }
        let left = viewModel.clock.left(until: deadline.statedEnd)
        return left * 10 < lifetime(deadline) ? .warning : .good
    }

    /// In seconds; of a refresh token that is older than its pair, from its own beginning.
    private func lifetime(_ deadline: Deadline) -> Double {
        let pairLife = deadline.statedLifetime
        guard kind == .refresh, let use = viewModel.session.refreshToken else { return pairLife }
        return max(pairLife, deadline.statedEnd.seconds(since: use.issuedAt.now))
    }
}
