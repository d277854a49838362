import Basics
import Model

/// A description of one column of a lifeline.
struct LifelineText {
    let session: SessionSnapshot
    let window: LifelineWindow
    let clock: ViewClock
    let keys: KeyMap
    let column: Int64

    private var names: GenerationText { GenerationText(logins: session.login) }

    /// The facts in the column, the worst first.
    var facts: [LifelineFact] {
        var facts: [LifelineFact] = []
        LifelineFact.forEach(of: session) { fact in
            if window.column(ofPast: fact.at) == column { facts.append(fact) }
        }
        return facts.sorted { left, right in
            (right.mark.severity, left.row, right.mark, right.at)
                < (left.mark.severity, right.row, left.mark, left.at)
        }
    }

    /// Returns variants of one line, the longest first.
    var lines: [Line] {
        let time = Line(time, .strong)
        let dot = Line(" · ", .dim)
        let facts = facts
        let texts = facts.map(line) + planned
        guard let first = texts.first else { return [[time, Line(rest, .dim)].joined(by: dot)] }
        return texts.indices.reversed().map { last in
            let more = texts.count - last - 1
            let count = more > 0 ? Line("+\(more) more", .dim) : Line()
            return ([time] + texts[...last] + [count]).joined(by: dot)
        } + [
            [time, first].joined(by: dot), [time, facts.first.map(brief) ?? first].joined(by: dot),
        ]
    }

    private var time: String {
        let start = window.start(of: column)
        let wall = LifelineClock(session: session, clock: clock).wall(at: start)
        return window.seconds < 1
            ? clock.formatter.timeWithMilliseconds(wall)
            : clock.formatter.when(wall, now: clock.shown.wall)
    }

    private func line(_ fact: LifelineFact) -> Line {
        let style = fact.mark.style == .good ? .plain : fact.mark.style
        switch fact.source {
        case .request(let number):
            guard let request = session.requests.entry(numbered: number) else { return Line() }
            let exchange = request.exchange
            let status = RequestText.status(exchange)
            let text = "request #\(number) \(exchange.method) \(exchange.target) \(status)"
            let generation = names.name(exchange.generation, login: request.login)
            return [Line(text, style), Line(generation ?? "", .identity)]
                .joined(by: Line(" · ", .dim))
        case .event(let number):
            guard let entry = session.history.entries.entry(numbered: number) else { return Line() }
            return Line(HistoryText(clock: clock, keys: keys).text(entry.kind), style)
        case .socket(let number):
            guard let socket = session.feed.sockets.entry(numbered: number) else { return Line() }
            return Line(text(socket, fact), style)
        }
    }

    /// Fewer words, where there is little room.
    private func brief(_ fact: LifelineFact) -> Line {
        guard case .request(let number) = fact.source,
            let request = session.requests.entry(numbered: number)
        else { return line(fact) }
        let style = fact.mark.style == .good ? .plain : fact.mark.style
        return Line("request #\(number) \(RequestText.status(request.exchange))", style)
    }

    private func text(_ socket: SocketRecord, _ fact: LifelineFact) -> String {
        let number = socket.number
        let generation = names.number(socket.generation, login: socket.login)
        if fact.mark == .died {
            switch socket.end {
            case .closed(var closed):
                closed.reason = ""
                return FeedRow.text(.closed(closed))
            case .refused(let refused): return FeedRow.text(.refused(refused))
            case .failed(let failed): return FeedRow.text(.failed(failed))
            case .replaced, .unknown, nil: return "socket \(number) ended"
            }
        }
        guard let before = socket.takesOverFrom else {
            return "socket \(number) open on gen \(generation)"
        }
        return "socket \(before) → \(number) on gen \(generation) · \(socket.lost) lost"
    }

    /// The expected events in the column.
    private var planned: [Line] {
        guard column >= window.now else { return [] }
        var lines: [Line] = []
        if let plan = session.renewalPlan, let at = plan.renewsAt, isHere(at) {
            lines.append(Line("renewal planned: \(CauseText(keys: keys).text(plan))", .busy))
        }
        if let current = session.current {
            if case .ends(let end, let isAssumed) = current.accessLife, isHere(end) {
                let assumed = isAssumed ? " (assumed)" : ""
                lines.append(Line("the access token ends\(assumed)", .warning))
            }
            if let end = current.pair.refreshExpiry, isHere(end.statedEnd) {
                let assumed = end.expiry.isAssumed ? " (assumed)" : ""
                let problem = session.refreshTokenProblem.map { ", \(TokenText.name($0)) before" }
                lines.append(Line("the refresh token ends\(assumed)\(problem ?? "")", .warning))
            }
        }
        return lines
    }

    private func isHere(_ instant: Instant) -> Bool {
        max(window.now, window.column(of: instant)) == column
    }

    /// A description of a column without facts.
    private var rest: String {
        guard column <= window.now else { return "to come" }
        guard let start = session.firstEventAt, window.column(of: start.now) <= column else {
            return "before the first event of this run"
        }
        let horizons = LifelineHorizons(of: session)
        if let horizon = horizons.tokens, column < window.column(of: horizon.now) {
            return "nothing kept before \(clock.when(horizon))"
        }
        return generationText
    }

    /// `gen 7 in use`; `no token`.
    private var generationText: String {
        guard let record = generation else { return "no token in use" }
        return "\(names.name(record.generation, login: record.login) ?? "a token") in use"
    }

    /// The generation in use at the end of the column.
    var generation: GenerationRecord? {
        session.generations.last { record in
            guard window.column(ofPast: record.receivedAt.now) <= column else { return false }
            let isReplaced = record.replacedAt.map { window.column(ofPast: $0.now) <= column }
            let isOver = record.accessLife.end.map { window.column(of: $0) < column }
            return isReplaced != true && isOver != true
        }
    }
}

extension LifelineMark {
    /// The urgency for the user.
    var severity: Int {
        switch style {
        case .bad: 2
        case .warning: 1
        default: 0
        }
    }
}
