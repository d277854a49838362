import Backend
import Basics
import Client
import Model
import Profiles
import Simulation

/// Checks a simulated system, counts what it has been through, and describes it if asked to.
final class SystemChecks: SystemWitness {
    private(set) var invariants: Invariants
    private(set) var coverage = Coverage()
    private(set) var digest = Digest()
    private(set) var trace: RunTrace?
    private(set) var violation: InvariantViolation?
    /// Reads the traffic, whatever invariants are broken; `nil` if nothing does.
    private(set) var passiveObserver: PassiveObserver?
    private var steps = 0
    /// The processes whose refresh was refused, and that read the vault again.
    private var refused = PerProcess<Bool>()

    init(scenario: Scenario, isTraced: Bool = false, passiveObserver: PassiveObserver? = nil) {
        invariants = Invariants(scenario: scenario)
        trace = isTraced ? RunTrace() : nil
        self.passiveObserver = passiveObserver
    }

    /// Ends the run at the first violation of an invariant.
    func observe(_ observation: SystemObservation, of process: Int?, at now: Instant) -> Bool {
        count(observation, of: process)
        read(observation, of: process)
        let finding = invariants.observe(observation, of: process, at: now)
        guard let finding, violation == nil, passiveObserver == nil else {
            return violation == nil
        }
        report(finding, of: process, at: now)
        return false
    }

    func report(_ finding: InvariantViolation.Finding, of process: Int?, at now: Instant) {
        violation = InvariantViolation(finding: finding, at: now, process: process, step: steps)
        describe(
            "✗ invariant \(finding.invariant.number): \(finding.message)",
            of: process,
            at: now
        )
    }

    func describe(_ text: @autoclosure () -> String, of process: Int?, at now: Instant) {
        guard trace != nil else { return }
        trace?.add(text(), at: now, process: process)
    }

    func firstLoss(of token: RefreshToken) -> Instant? { invariants.firstLoss(of: token) }

    // MARK: - Coverage

    private func count(_ observation: SystemObservation, of process: Int?) {
        switch observation {
        case .handled(let step):
            steps += 1
            digest.add(
                step.process,
                step.input,
                step.effects.count,
                step.after.state,
                at: step.now
            )
            coverage.record(step.input, step.before, step.after, step.effects)
            recordVerdict(step)
        case .emitted(let event): coverage.record(event)
        case .disrupted(let disruption): coverage.count(disruption)
        case .failed(let fault): coverage.count(fault)
        case .died: if let process { refused[process] = nil }
        case .otherSession, .rested, .searched, .published, .resumed, .finishedAction,
            .finishedRequest, .woke, .logoutDue, .sends, .decided, .ended, .dials, .feedMayMiss,
            .networkLost, .wrote, .recordRemoved, .clockSet:
            break
        }
    }

    /// A refused process reads the vault once more, and may find that another one was faster.
    private func recordVerdict(_ step: Step) {
        switch step.input {
        case .refreshEnded(_, let exchange):
            if case .answered(.refused) = exchange.outcome { refused[step.process] = true }
        case .recordLoaded:
            guard refused.take(step.process) == true else { return }
            if step.effects.contains(where: \.isAdoption) { coverage.count(.refusedThenAdopted) }
        default: break
        }
    }

    // MARK: - The traffic

    private func read(_ observation: SystemObservation, of process: Int?) {
        switch observation {
        case .sends(let exchange, _, _): passiveObserver?.sends(exchange, at: exchange.sentAt)
        case .ended(let exchange, let isAlive, let moment):
            passiveObserver?.ends(exchange, isAlive: isAlive, at: moment)
        case .died(let moment): if let process { passiveObserver?.leaves(process, at: moment) }
        case .otherSession, .handled, .rested, .emitted, .searched, .published, .resumed,
            .finishedAction, .finishedRequest, .woke, .logoutDue, .decided, .dials, .feedMayMiss,
            .networkLost, .wrote, .recordRemoved, .clockSet, .disrupted, .failed:
            break
        }
    }
}
