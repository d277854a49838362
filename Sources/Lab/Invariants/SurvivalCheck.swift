import Model
import Simulation

/// 19 and 20: what no session may die of.
struct SurvivalCheck {
    private let kind: ScenarioKind
    private(set) var checked = 0

    init(scenario: Scenario) {
        kind = scenario.kind
    }

    mutating func heard(_ event: SessionEvent) -> InvariantViolation.Finding? {
        if event.kind is RefreshSucceeded {
            if kind == .lossWithGrace || kind == .siblings { checked += 1 }
            return nil
        } else if let reason = (event.kind as? SignedOut)?.reason {
            switch kind {
            case .lossWithGrace:
                return InvariantViolation.Finding(
                    .lostResponse,
                    "signed out as \(reason.rawValue), though the server forgives a lost answer"
                )
            case .siblings:
                return InvariantViolation.Finding(
                    .siblings,
                    "a process is signed out as \(reason.rawValue) by its siblings"
                )
            case .healthy, .lossWithoutGrace, .outages, .clocks, .storm, .repeatedFault,
                .impatientUsers, .frequentSleep:
                return nil
            }
        } else {
            return nil
        }
    }
}
