import Backend
import Basics
import Client
import Model
import Profiles

/// The real machine over the days of a forecast.
struct OurForecast {
    private let question: Forecast.Question
    private let behavior: Forecast.BackendBehavior
    private let causes: any CauseFormatter

    init(
        _ question: Forecast.Question,
        _ behavior: Forecast.BackendBehavior,
        _ causes: any CauseFormatter
    ) {
        self.causes = causes
        self.question = question
        self.behavior = behavior
    }

    func row() -> Forecast.Row {
        let witness = RowWitness(
            Forecast.Row(client: .ours, backend: behavior),
            question,
            causes
        )
        let system = SimulatedSystem<ClientMachine>(
            scenario: scenario,
            seed: question.seed,
            witness: witness,
            making: ClientMachine.init(configuration:fingerprinter:random:)
        )
        system.run()
        var row = witness.row
        if row.drainsAt != nil || row.endsAt != nil { row.refusal = system.lastRefusal }
        if row.endsAt == nil, system.hasReachedLimit {
            row.followedUntil = witness.seconds(at: system.now)
        }
        return row
    }

    private var scenario: Scenario {
        let policy = question.policy(behavior)
        var scenario = Scenario(
            kind: .storm,
            processes: 1,
            accessLifetime: policy.accessLifetime,
            refreshLifetime: policy.refreshLifetime,
            refreshSlides: policy.refreshSlides,
            rotation: question.dialect.rotation,
            behavior: policy.rotation,
            reuse: policy.reuse,
            transit: 0.05...0.1,
            betweenRequests: question.requestEvery,
            betweenCalls: .greatestFiniteMagnitude
        )
        scenario.dialect = question.dialect
        scenario.lead = question.lead ?? question.dialect.policy.lead
        let rules = question.dialect.policy
        scenario.giveUpAfter = rules.giveUpAfter
        scenario.attempts = rules.retry == .onUse ? 1 : rules.attempts
        scenario.renewsBeforeUse = rules.whenDue == .wait
        scenario.refusalEnds = rules.afterRefusal == .end
        scenario.hasRefreshToken = question.dialect.hasRefreshToken
        scenario.renewsByLogin = question.dialect.policy.renewal == .login
        scenario.signsInAgain = false
        scenario.regularUntil = question.seconds
        scenario.faults = question.faults
        scenario.exchangeFaults = question.faults.isEmpty ? 0 : question.faultRate
        scenario.timeLimit = question.horizon(behavior) + 1
        scenario.pairLimit = question.rowLimits.pairs
        scenario.stepLimit = question.rowLimits.steps
        return scenario
    }
}

/// Keeps the row of a forecast up to date with the events of a session.
private final class RowWitness: SystemWitness {
    private(set) var row: Forecast.Row
    private let question: Forecast.Question
    private let causes: any CauseFormatter
    private var began: Instant?

    init(_ row: Forecast.Row, _ question: Forecast.Question, _ causes: any CauseFormatter) {
        self.row = row
        self.question = question
        self.causes = causes
    }

    func observe(_ observation: SystemObservation, of process: Int?, at now: Instant) -> Bool {
        guard case .emitted(let event) = observation else { return true }
        if let pair = (event.kind as? TokensIssued)?.pair, pair.origin == .login, began == nil {
            began = event.moment.now
        }
        row.record(event, at: seconds(at: event.moment.now), question, causes)
        return true
    }

    /// The time since the login, in seconds.
    func seconds(at now: Instant) -> Double { now.seconds(since: began ?? now) }
}

extension Forecast.Row {
    /// Ignores what happens after the requested days, except for the end.
    fileprivate mutating func record(
        _ event: SessionEvent,
        at seconds: Double,
        _ question: Forecast.Question,
        _ causes: any CauseFormatter
    ) {
        let isWithin = seconds <= question.seconds
        if event.kind is TokensIssued { hasBegun = true }
        if let pair = (event.kind as? TokensIssued)?.pair, isWithin {
            recordPair(pair, at: seconds, question)
        } else if let failure = (event.kind as? RefreshFailed)?.failure, isWithin {
            failedRenewals += 1
            timeline.add("renewal failed: \(causes.text(failure))", at: seconds)
        } else if let failure = (event.kind as? LoginFailed)?.failure {
            timeline.add("login failed: \(causes.text(failure))", at: seconds)
        } else if let exchange = event.kind as? Exchange, exchange.purpose == .protected, isWithin {
            requests += 1
            guard exchange.status == 401 else { return }
            refusedRequests += 1
            timeline.add("401 for a request", at: seconds)
        } else if let draining = event.kind as? SessionDraining {
            drainsAt = seconds
            let left = draining.endsAt.map { $0.seconds(since: event.moment.now) } ?? 0
            timeline.add(
                "no more renewals (\(causes.brief(draining.reason))): log in again within "
                    + ElapsedFormatter.text(left.rounded()),
                at: seconds
            )
        } else if let reason = (event.kind as? SignedOut)?.reason {
            endsAt = seconds
            self.reason = reason
            timeline.add("signed out: \(causes.brief(reason))", at: seconds)
        }
    }

    private mutating func recordPair(
        _ pair: PairDescription,
        at seconds: Double,
        _ question: Forecast.Question
    ) {
        let life = ElapsedFormatter.text(question.lifetimes.access)
        guard pair.origin == .refresh else {
            if seconds > 0 { recordRenewal(at: seconds) }
            return timeline.add("logged in: access token for \(life)", at: seconds)
        }
        recordRenewal(at: seconds)
        let refresh = pair.rotated ? "a new refresh token" : "the same refresh token"
        timeline.add("renewed: access token for \(life), \(refresh)", at: seconds)
    }

    mutating func recordRenewal(at seconds: Double) {
        renewals += 1
        if firstRenewalAt == nil { firstRenewalAt = seconds }
        lastRenewalAt = seconds
    }
}
