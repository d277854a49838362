import Basics
import Model

/// An experiment that is in progress, and what its scorecard is filled in from.
struct ExperimentRun: Sendable {
    private(set) var scorecard: Scorecard
    /// The session that it concerns, or `nil` for any.
    let session: SessionID?
    /// The newest exchange before it.
    let lastBefore: Int
    /// Whether it was ended before its time.
    var isStopped = false
    private var firstAt: Instant?
    /// The sessions whose exchanges it changed.
    private(set) var families: Set<Int> = []

    init(scorecard: Scorecard, session: SessionID?, lastBefore: Int) {
        self.scorecard = scorecard
        self.session = session
        self.lastBefore = lastBefore
    }

    var endsAt: Instant? { scorecard.endsAt }

    /// The session under which it is reported.
    var family: Int? { session.flatMap { Int($0.description) } ?? families.min() }

    /// Whether what an exchange shows may be caused by it.
    func includes(_ exchange: ObservedExchange) -> Bool {
        guard scorecard.experiment.window != nil, let firstAt, let family = exchange.family else {
            return false
        }
        return families.contains(family) && exchange.startedAt.now >= firstAt
    }

    /// Fills in the scorecard from what is known now.
    mutating func judge(_ traffic: ObservedTraffic, _ bugs: [ObservedFinding], at now: Instant) {
        let name = scorecard.experiment.description
        let injected = traffic.newestFirst.filter { exchange in
            guard exchange.experiment == name else { return false }
            if exchange.number > lastBefore { return true }
            return exchange.openedAt != nil
                && (exchange.closedAt?.now ?? now) >= scorecard.startedAt.now
        }
        guard let first = injected.last else {
            scorecard.isOver = isStopped
            return
        }
        families.formUnion(injected.compactMap(\.family))
        // A socket was opened before it was closed for the experiment.
        let began = first.openedAt == nil ? first.startedAt.now : first.closedAt?.now ?? now
        let start = firstAt ?? max(began, scorecard.startedAt.now)
        firstAt = start
        scorecard.injected = injected.prefix(Scorecard.injectedLimit).map(\.number).reversed()
        scorecard.endsAt = scorecard.experiment.window.map { start.advanced(bySeconds: $0) }
        let isDue = scorecard.endsAt.map { $0 <= now } ?? false
        let view = ExperimentView(
            experiment: scorecard.experiment,
            traffic: traffic,
            injected: injected.reversed(),
            families: families,
            bugs: bugs,
            firstAt: start,
            now: now,
            isOver: isStopped || isDue,
            isDue: isDue
        )
        scorecard.lines = view.lines
        scorecard.isOver = isStopped || isDue
    }
}
