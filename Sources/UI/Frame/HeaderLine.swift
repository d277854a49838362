import Basics
import Model
import Profiles

/// The rows at the top: the user and the backend, then the state of the session.
enum HeaderLine {
    static func identity(_ viewModel: ViewModel, columns: Int) -> Line {
        let session = viewModel.session
        let clock = Line("\(viewModel.clock.formatter.time(viewModel.clock.shown.wall)) ", .plain)
        let program =
            viewModel.playback.map(replay)
            ?? Line(viewModel.proxy == nil ? " authtop  " : " authtop proxy  ", .dim)
        if let proxy = viewModel.proxy {
            let room = columns - clock.width - 1
            let dot = Line(" · ", .dim)
            let ways = warnings(proxy, viewModel.book).flatMap { warnings in
                [Self.user(session), Line()].flatMap { user in
                    proxy.ways.map { program + (warnings + [$0, user]).joined(by: dot) }
                }
            }
            return Line.spread(Line.first(of: ways, fitting: room), clock, over: columns)
        }
        let profile = Line(session.profile, .header)
        let user = user(session)
        let url = Line(session.capabilities?.baseURL ?? "", .plain)
        let dot = Line(" · ", .dim)
        let room = columns - clock.width - 1
        let (faults, count) = faults(viewModel)
        let readOnly = viewModel.isReadOnly ? Line("read-only", .busy) : Line()
        let shift = Line(ClockShiftText.mark(session.clockShift) ?? "", .warning)
        let isCut = viewModel.isObserved && !OmissionText.marks(viewModel.book).isEmpty
        let missing = isCut ? Line("⚠ incomplete", .warning) : Line()
        let ways = [
            program + [profile, missing, user, url, readOnly, shift, faults].joined(by: dot),
            program + [profile, missing, url, readOnly, shift, faults].joined(by: dot),
            program + [profile, missing, readOnly, shift, faults].joined(by: dot),
            program + [profile, missing, url, readOnly, shift, count].joined(by: dot),
            program + [profile, missing, readOnly, shift, count].joined(by: dot),
        ]
        return Line.spread(Line.first(of: ways, fitting: room), clock, over: columns)
    }

    /// The unsafe, untrue or missing properties of a proxy, also in fewer words.
    private static func warnings(_ proxy: ProxyRoutes, _ book: SessionBook) -> [[Line]] {
        let all = [
            proxy.isExposed ? ("✗ open to the network", "✗ open") : nil,
            proxy.addsCORS ? ("✗ --cors hides a bug", "✗ --cors") : nil,
        ]
        .compactMap(\.self)
        let marks = OmissionText.marks(book)
        let (full, brief) = (all.map { Line($0.0, .bad) }, all.map { Line($0.1, .bad) })
        return [
            marks.map { Line($0.full, .warning) } + full,
            marks.map { Line($0.brief, .warning) } + full,
            marks.map { Line($0.brief, .warning) } + brief,
        ]
    }

    /// `replay 2× 1 m 23 s of 5 m 00 s`.
    private static func replay(_ playback: Playback) -> Line {
        let speed =
            playback.isPlaying
            ? "\(DurationFormatter.number(playback.speed))×"
            : playback.isAtEnd ? "over" : "held"
        let elapsed = DurationFormatter.counting(playback.elapsed)
        let duration = DurationFormatter.counting(playback.duration)
        return Line(" replay ", .dim) + Line("\(speed) \(elapsed) of \(duration)", .busy)
            + Line("  ")
    }

    /// The state, with what is wrong beside it or, if there is no room for all of it, below it.
    ///
    /// Nothing is cut that states a cause or the next step: it takes more rows then.
    static func state(_ viewModel: ViewModel, columns: Int, rows: Int) -> [Line] {
        let summary = StateSummary(of: viewModel)
        let ways = summary.ways
        let problems = ProblemText.lines(viewModel)
        if let worst = problems.first {
            let more = Line(problems.count > 1 ? "  +\(problems.count - 1) " : " ", .warning)
            for way in ways.prefix(2) {
                if let row = row(way, worst + more, columns) { return [row] }
            }
        }
        let state = state(viewModel, ways, columns: columns, rows: max(1, rows / 5))
        let unsaid = summary.serverWords.flatMap { words in
            state.contains { $0.text.contains(words) }
                ? nil : Line("✗ the backend said \(words)", .bad)
        }
        let below = ([unsaid].compactMap(\.self) + problems).flatMap {
            (Line(" ") + $0).wrapped(to: columns, indent: 3)
        }
        return state + below.limited(to: max(1, rows / 5), columns)
    }

    /// The generation gives way before the state's own parts do.
    private static func state(
        _ viewModel: ViewModel,
        _ ways: [Line],
        columns: Int,
        rows limit: Int
    ) -> [Line] {
        let generation = viewModel.session.current.map { current in
            let number = viewModel.generations.number(current.generation, login: current.login)
            return Line("generation \(number) ", .identity)
        }
        for way in ways {
            for right in [generation ?? Line(), Line()] {
                if let row = row(way, right, columns) { return [row] }
            }
        }
        let broken = ways.map { $0.wrapped(to: columns, indent: 3) }
        return broken.first { $0.count <= limit } ?? (broken.last ?? []).limited(to: limit, columns)
    }

    /// Both in one row, or `nil` if there is no room for them.
    private static func row(_ left: Line, _ right: Line, _ columns: Int) -> Line? {
        let gap = right.isEmpty ? 0 : 2
        guard left.width <= columns - right.width - gap else { return nil }
        return Line.spread(left, right, over: columns)
    }

    /// `faults: delay, server-error:p=0.2`, and in fewer words.
    private static func faults(_ viewModel: ViewModel) -> (all: Line, count: Line) {
        guard !viewModel.faults.isEmpty else { return (Line(), Line()) }
        let list = viewModel.faults.joined(separator: ", ")
        let count = CountFormatter.count(viewModel.faults.count, "fault")
        return (Line("faults: \(list)", .warning), Line("with \(count)", .warning))
    }

    /// `user@example.com (123)`.
    private static func user(_ session: SessionSnapshot) -> Line {
        guard let user = session.generations.last?.pair.statements else { return Line() }
        guard user.displayName != user.subject else { return Line(user.subject ?? "") }
        let subject = user.subject.map { user.displayName == nil ? $0 : " (\($0))" } ?? ""
        return Line(user.displayName ?? "") + Line(subject, user.displayName == nil ? .plain : .dim)
    }
}
