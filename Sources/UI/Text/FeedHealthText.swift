import Basics
import Model

/// Whether the feed brings what it is for.
struct FeedHealthText {
    /// The sentence for the header.
    let line: Line
    /// Whether it is a problem; else it is not known whether all is well.
    let isProblem: Bool

    /// Fails if the feed is well, or there is none.
    init?(_ viewModel: ViewModel) {
        guard !viewModel.isObserved, viewModel.session.state.isLive else { return nil }
        let feed = viewModel.session.feed
        let ends = Self.ends(of: feed, viewModel.clock)
        switch feed.state {
        case .idle: return nil
        case .backoff(_, let nextAt, _), .refused(_, let nextAt):
            guard let last = ends.last else { return nil }
            let left = DurationFormatter.long(viewModel.clock.left(until: nextAt))
            line = Line("⚠ \(Self.down(ends, last, viewModel)), next dial in \(left)", .warning)
            isProblem = true
        case .stopped:
            let text = FeedSummary(of: viewModel).parts.first ?? "stopped"
            line = Line("✗ feed \(text)", .bad)
            isProblem = true
        case .dialing, .rotating, .open:
            if let last = ends.last, ends.count > 2 || !feed.isOpen {
                line = Line("⚠ \(Self.down(ends, last, viewModel))", .warning)
                isProblem = true
            } else if let quiet = Self.quiet(feed, viewModel.clock) {
                line = Line("○ \(quiet)", .busy)
                isProblem = false
            } else {
                return nil
            }
        }
    }

    /// The time that is looked back on, in seconds.
    private static let span = 300.0
    /// The number of lines that are looked back on.
    private static let newest = 200
    /// The shortest silence that is mentioned, in seconds.
    private static let shortestQuiet = 30.0

    /// The ends of sockets that were not closed by us, of the last minutes.
    private static func ends(of feed: FeedSnapshot, _ clock: ViewClock) -> [FeedLine] {
        guard let last = feed.newestEnd, clock.passed(since: last) < span else { return [] }
        // By their places: what is only looked at is not copied.
        return feed.log.indices.suffix(newest).filter { place in
            feed.log[place].isEnd && clock.passed(since: feed.log[place].at) < span
        }
        .map { feed.log[$0] }
    }

    /// `feed ended 3 times since 14:02:03, last at 14:02:09: 4401 "bye"`.
    private static func down(_ ends: [FeedLine], _ last: FeedLine, _ viewModel: ViewModel) -> String
    {
        let first = viewModel.clock.when(ends.first?.at ?? last.at)
        let words = words(last.event)
        guard ends.count > 1 else { return "feed down since \(first): \(words)" }
        let isRefused = ends.allSatisfy { line in
            if case .refused = line.event { true } else { false }
        }
        let verb = isRefused ? "refused" : "ended"
        return "feed \(verb) \(CountFormatter.times(ends.count)) since \(first), last: \(words)"
    }

    private static func words(_ event: FeedLine.Event) -> String {
        switch event {
        case .closed(let closed):
            let said = closed.reason.isEmpty ? "" : ", \(RefusalText.quoted(closed.reason))"
            return "\(closed.code) \(CloseCodeText.text(closed.code))\(said)"
        case .refused(let refused):
            let said = refused.serverWords.map { ", \(RefusalText.quoted($0))" } ?? ""
            return UpgradeText.text(refused.status) + said
        case .failed(let failed): return CauseText().text(failed.why)
        case .opened, .switched, .message, .missing, .control, .stopped, .leaking: return ""
        }
    }

    /// A feed that is open and brings no message: perhaps there is none, perhaps the subscription is
    /// missing.
    private static func quiet(_ feed: FeedSnapshot, _ clock: ViewClock) -> String? {
        let messages = feed.log.indices.suffix(newest).reversed().lazy
            .filter { feed.log[$0].isMessage }
        guard let last = messages.first.map({ feed.log[$0].at }) else {
            let opened = feed.sockets.first?.openedAt
            let seconds = opened.map(clock.passed) ?? 0
            guard feed.counts.messages == 0, seconds >= shortestQuiet else { return nil }
            return "no message since the feed opened \(DurationFormatter.counting(seconds)) ago"
        }
        let seconds = clock.passed(since: last)
        guard seconds >= shortestQuiet else { return nil }
        let times = messages.prefix(20).map { feed.log[$0].at.now }
        guard times.count >= 5, let first = times.last else { return nil }
        let interval = last.now.seconds(since: first) / Double(times.count - 1)
        guard seconds >= interval * 10 else { return nil }
        return "no message for \(DurationFormatter.counting(seconds)), one each "
            + "\(DurationFormatter.fine(interval)) before"
    }
}

extension FeedLine {
    fileprivate var isMessage: Bool {
        if case .message = event { true } else { false }
    }
}

extension FeedSnapshot {
    /// Whether a socket is open.
    fileprivate var isOpen: Bool {
        switch state {
        case .open, .rotating: true
        case .idle, .dialing, .backoff, .refused, .stopped: false
        }
    }
}
