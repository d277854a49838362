import Basics
import Model

/// The socket, and what comes in over it.
enum FeedPane: ListPane {
    static let id = PaneID(rawValue: 4)
    static let title = "Feed"
    static let extent = PaneExtent(isHalf: false, minimum: 2, comfortable: 5, maximum: nil)
    static let fields = [
        FilterField("type"), FilterField("id"), FilterField("seq", .number),
        FilterField("socket", .number), FilterField("time", .time),
    ]
    static let rowsAbove = 1

    static func log(_ viewModel: ViewModel) -> BoundedLog<FeedLine> {
        viewModel.session.feed.log
    }

    static func emptyText(_ viewModel: ViewModel) -> String { "no message yet" }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let feed = viewModel.session.feed.counts
        let positionText = positionText(viewModel)
        let dot = Line(" · ", .dim)
        let messages = Line(CountFormatter.count(feed.messages, "message"), .dim)
        let lost = Line("\(CountFormatter.grouped(feed.lost)) lost", feed.lost > 0 ? .bad : .dim)
        let twice = Line(CountFormatter.count(feed.duplicates, "duplicate"), .dim)
        let perSecond = viewModel.session.feed.arrivals.perSecond(at: viewModel.clock.shown.now)
        let rate = Line("\(DurationFormatter.decimal(perSecond, places: 1)) /s", .dim)
        return [
            [messages, lost, twice, rate, positionText].joined(by: dot),
            [messages, lost, positionText].joined(by: dot),
            positionText,
        ]
    }

    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let phrase = FeedSummary(of: viewModel)
        let isIdle = viewModel.session.feed.state == .idle
        let target = isIdle ? nil : viewModel.session.feed.target
        let parts = phrase.parts + [target].compactMap(\.self)
        let head = Line("\(phrase.symbol) ", phrase.style)
        let style = phrase.style == .good ? .plain : phrase.style
        let ways = (0..<parts.count).map { dropped in
            let kept = Array(parts.dropLast(dropped).enumerated())
            return head
                + kept.map { Line($0.element, $0.offset == 0 ? style : .plain) }
                .joined(by: Line(" · ", .dim))
        }
        return [Line.first(of: ways, fitting: columns)]
    }

    static func lines(of line: FeedLine, _ viewModel: ViewModel, columns: Int, rows: Int) -> [Line]
    {
        [FeedRow(line: line, viewModel: viewModel, columns: columns).row]
    }

    static func isEmpty(_ viewModel: ViewModel) -> Bool {
        viewModel.session.feed.state == .idle && log(viewModel).isEmpty
    }

    static func matches(
        _ line: FeedLine,
        _ filter: Filter,
        _ viewModel: ViewModel
    ) -> Bool {
        let clock = viewModel.clock.formatter
        let second = clock.secondOfDay(line.at.wall)
        guard case .message(let message) = line.event else {
            return filter.passes { condition in
                switch condition.field {
                case nil: condition.pattern.isIn(FeedRow.text(line.event))
                case "socket": line.event.sockets.contains { condition.pattern.matches($0) }
                case "time": condition.pattern.matches(seconds: second)
                default: false
                }
            }
        }
        return filter.passes { condition in
            switch condition.field {
            case "type": condition.pattern.isIn(message.type)
            case "id": condition.pattern.isIn(message.id)
            case "seq": message.seq.map(condition.pattern.matches) ?? false
            case "socket": condition.pattern.matches(message.socket)
            case "time": condition.pattern.matches(seconds: second)
            default: condition.pattern.isIn(message.excerpt) || condition.pattern.isIn(message.type)
            }
        }
    }

    static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText? {
        guard let line = viewModel.session.feed.log.entry(numbered: number) else { return nil }
        let text: String
        if case .message(let message) = line.event {
            let parts = [message.seq.map { "#\($0)" } ?? message.id, message.type]
            text = (parts.compactMap(\.self) + [message.excerpt]).joined(separator: " ")
        } else {
            text = FeedRow.text(
                line.event,
                isStream: viewModel.hasEventStream,
                number: viewModel.number
            )
        }
        let sockets = line.event.sockets.map(String.init).joined(separator: ", ")
        return CopiedText(
            name: "line \(number) of the feed as Markdown",
            text: MarkdownReport.table(
                viewModel.clock.formatter.timeWithMilliseconds(line.at.wall),
                "socket",
                sockets.isEmpty ? "–" : sockets,
                text
            )
        )
    }

    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? {
        guard let number else { return nil }
        guard let line = viewModel.session.feed.log.entry(numbered: number) else {
            return Document(title: "Feed line \(number)", lines: ["no longer in the log"])
        }
        return FeedDetail(line: line, viewModel: viewModel).document
    }
}
