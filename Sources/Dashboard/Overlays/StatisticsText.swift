import Lifecycle
import Timekeeping

/// What the session has cost and survived so far.
struct StatisticsText {
    let statistics: SessionStatistics
    let scene: Scene

    var document: Document {
        var document = Document(title: "Statistics")
        guard let startedAt = statistics.startedAt else {
            document.add(Line("no session yet: there is nothing to count", .dim))
            return document
        }
        document.add("session", session(since: startedAt))
        addRenewals(to: &document)
        addRequests(to: &document)
        document.add("feed", feed)
        if statistics.feed.drops > 0 {
            document.add("", StatisticsWords.times("closed on us", statistics.feed.drops, .warning))
        }
        document.add(Line())
        for words in StatisticsWords.legend { document.add(words.name, words.meaning, .dim) }
        return document
    }

    private func session(since startedAt: Moment) -> Line {
        let now = scene.clock.shown.now
        let life = DurationWords.long(statistics.age(at: now))
        let since = scene.clock.when(startedAt)
        guard let endedAt = statistics.endedAt else {
            return "no. \(statistics.login) since \(since) · \(life, .strong)"
        }
        let end = scene.clock.when(endedAt)
        return "no. \(statistics.login) from \(since) to \(end) · \(life, .strong)"
    }

    private func addRenewals(to document: inout Document) {
        let renewals = statistics.renewals
        let renewed = Line(CountWords.times(renewals.succeeded), .strong)
        let failed = renewals.failed > 0 ? Line("\(renewals.failed) failed", .warning) : Line()
        document.add("renewed", [renewed, failed].joined(by: StatisticsWords.dot))
        let causes = RefreshCause.allCases.map { cause in
            StatisticsWords.times(CauseWords.words(cause), renewals.byCause[cause] ?? 0)
        }
        document.add("started by", StatisticsWords.list(causes))
        let failures = RefreshFailure.Class.allCases.map { kind in
            let count = statistics.failures[kind] ?? 0
            return StatisticsWords.times(FailureWords.kind(kind), count, .warning)
        }
        document.add("failures", StatisticsWords.list(failures))
        document.add("lead left", lead)
        document.add("no token", tokenless)
    }

    private var lead: Line {
        guard let least = statistics.leadLeft.least, let median = statistics.leadLeft.median else {
            return Line("nothing renewed yet", .dim)
        }
        let style: Style = least > 0 ? .strong : .warning
        let words = StatisticsWords.lead
        return "least \(words(least), style) · median \(words(median), .strong)"
    }

    /// It counts on the screen while it lasts.
    private var tokenless: Line {
        let now = scene.clock.exact.now
        let seconds = statistics.tokenless.seconds(at: now)
        let count = statistics.tokenless.count(at: now)
        guard count > 0 else { return Line("at no time", .strong) }
        let times = count == 1 ? "once" : CountWords.times(count)
        return "\(DurationWords.fine(seconds), .warning) in all · \(times)"
    }

    private func addRequests(to document: inout Document) {
        let requests = statistics.requests
        let classes = (1...5).map { digit in
            StatisticsWords.times("\(digit)xx", requests.byStatusClass[digit] ?? 0)
        }
        let sent = Line("\(CountWords.grouped(requests.sent)) sent", .strong)
        document.add("requests", ([sent] + classes).joined(by: StatisticsWords.dot))
        let troubles = [
            StatisticsWords.times("token refused (401)", requests.unauthorized, .warning),
            StatisticsWords.times("not sent", requests.notSent, .warning),
            StatisticsWords.times("answer lost", requests.unanswered, .warning),
        ]
        let line = troubles.joined(by: StatisticsWords.dot)
        if !line.isEmpty { document.add("", line) }
    }

    private var feed: Line {
        let feed = statistics.feed
        return [
            Line(CountWords.count(feed.messages, "message")),
            Line(CountWords.count(feed.switches, "switch", plural: "switches")),
            Line("\(CountWords.grouped(feed.lost)) lost", feed.lost > 0 ? .bad : .plain),
            Line("\(CountWords.grouped(feed.duplicates)) came twice"),
        ].joined(by: StatisticsWords.dot)
    }
}
