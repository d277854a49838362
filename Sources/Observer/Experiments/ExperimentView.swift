import Basics
import Model

/// The exchanges since an experiment began, as the checks of its scorecard use them.
struct ExperimentView {
    let experiment: Fault
    let traffic: ObservedTraffic
    /// The exchanges that it changed, in their order; never empty.
    let injected: [ObservedExchange]
    /// The sessions that they belong to.
    let families: Set<Int>
    let bugs: [ObservedFinding]
    /// When it began to change something.
    let firstAt: Instant
    let now: Instant
    /// Whether no more is going to be known.
    let isOver: Bool
    /// Whether all of its time has passed.
    let isDue: Bool
    /// The requests of its clients since then, in their order.
    let own: [ObservedExchange]

    init(
        experiment: Fault,
        traffic: ObservedTraffic,
        injected: [ObservedExchange],
        families: Set<Int>,
        bugs: [ObservedFinding],
        firstAt: Instant,
        now: Instant,
        isOver: Bool,
        isDue: Bool
    ) {
        self.experiment = experiment
        self.traffic = traffic
        self.injected = injected
        self.families = families
        self.bugs = bugs
        self.firstAt = firstAt
        self.now = now
        self.isOver = isOver
        self.isDue = isDue
        let clients = Set(injected.map(\.client))
        own = traffic.newestFirst.prefix { $0.startedAt.now >= firstAt }
            .filter { exchange in
                exchange.family.map(families.contains) ?? false || clients.contains(exchange.client)
            }
            .reversed()
    }

    // MARK: - What was sent

    /// The refreshes of the sessions.
    var refreshes: [ObservedExchange] {
        own.filter { $0.purpose == .refresh && isOfFamilies($0) }
    }

    /// The requests with an access token of the sessions, dials included.
    var uses: [ObservedExchange] {
        own.filter {
            ($0.purpose == .protected || $0.purpose.isSocket) && isOfFamilies($0)
        }
    }

    func isOfFamilies(_ exchange: ObservedExchange) -> Bool {
        exchange.family.map(families.contains) ?? false
    }

    /// The logins that take the place of one of the sessions, and their logouts.
    var endings: [ObservedExchange] {
        own.filter { exchange in
            switch exchange.purpose {
            case .logout: isOfFamilies(exchange)
            case .login: replacesSession(exchange)
            default: false
            }
        }
    }

    private func replacesSession(_ login: ObservedExchange) -> Bool {
        guard login.issuedGeneration != nil, let new = traffic.family(of: login) else {
            return false
        }
        return families.contains { id in
            guard let old = traffic.graph.families[id], old.id != new.id else { return false }
            if old.endedIn == login.number { return true }
            if let before = old.subject, let after = new.subject { return before == after }
            // Nothing names the user: of several sessions, it may belong to any.
            let all = traffic.graph.families.values.filter { $0.clients.contains(login.client) }
            return all.count == 2
        }
    }

    // MARK: - Verdicts

    typealias Line = Scorecard.Line

    /// A thing that has to happen within a time.
    ///
    /// - Parameters:
    ///   - check: The thing.
    ///   - proof: The exchanges that show that it happened, or `nil` if there are none.
    ///   - seconds: The time, from the first change.
    /// - Returns: Failed only if the app went on meanwhile.
    func must(
        _ check: Scorecard.Check,
        _ proof: [ObservedExchange]?,
        within seconds: Double
    ) -> Line {
        if let proof { return Line(check, .passed, exchanges: proof.map(\.number)) }
        let hasFailed = now.seconds(since: firstAt) > seconds || isDue
        let goesOn = own.contains { $0.experiment == nil }
        if hasFailed, goesOn { return Line(check, .failed, exchanges: injected.map(\.number)) }
        return Line(check, isOver ? .notReached : .open)
    }

    /// A thing that must not happen.
    ///
    /// - Parameters:
    ///   - check: The thing.
    ///   - violations: The exchanges that show that it happened.
    ///   - isReached: Whether there was an occasion for it.
    /// - Returns: Passed only at the end.
    func never(
        _ check: Scorecard.Check,
        _ violations: [ObservedExchange],
        isReached: Bool
    ) -> Line {
        guard violations.isEmpty else {
            return Line(check, .failed, exchanges: violations.map(\.number))
        }
        guard isOver else { return Line(check, .open) }
        return Line(check, isReached ? .passed : .notReached)
    }

    /// Whether the app has sent something since, of its own.
    var isActive: Bool {
        own.contains { exchange in
            guard exchange.number > injected[0].number else { return false }
            // Each answer is changed.
            return experiment.effect == .shiftDate || exchange.experiment == nil
        }
    }

    var showsNoBug: Line {
        let exchanges = bugs.flatMap(\.exchanges)
        guard bugs.isEmpty else { return Line(.showsNoBug, .failed, exchanges: exchanges) }
        return Line(.showsNoBug, !isOver ? .open : isActive ? .passed : .notReached)
    }
}
