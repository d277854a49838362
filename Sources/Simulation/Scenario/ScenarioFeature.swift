import Model

/// A feature of a scenario that can be removed, to find out what a violation needs.
package enum ScenarioFeature: Sendable, Hashable {
    /// More than two processes.
    case crowd
    case userActions
    case kills
    case sleep
    case wallSteps
    case outages
    case vaultFaults
    case feed
    /// By the fault's name.
    case fault(String)

    /// In the order in which they are tried.
    package static var all: [ScenarioFeature] {
        [.crowd, .userActions, .kills, .sleep, .wallSteps, .outages, .vaultFaults, .feed]
            + Fault.simulated.map { .fault($0.name) }
    }

    package var name: String {
        switch self {
        case .crowd: "crowd"
        case .userActions: "user-actions"
        case .kills: "kills"
        case .sleep: "sleep"
        case .wallSteps: "wall-steps"
        case .outages: "outages"
        case .vaultFaults: "vault-faults"
        case .feed: "feed"
        case .fault(let name): name
        }
    }

    package init?(name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

extension Scenario {
    /// Whether there is any of it.
    package func has(_ feature: ScenarioFeature) -> Bool {
        switch feature {
        case .crowd: processes > 2
        case .userActions: betweenUserActions != nil
        case .kills: kills > 0
        case .sleep: betweenSuspends != nil
        case .wallSteps: betweenWallSteps != nil
        case .outages: betweenOutages != nil || outageAfterSleep > 0
        case .vaultFaults: vaultFaults > 0
        case .feed: feed.served != nil
        case .fault(let name):
            exchangeFaults > 0 && faults.contains { $0.name == name }
                || feed.served.map { $0.faultRate > 0 && $0.faults.contains { $0.name == name } }
                    ?? false
        }
    }

    package mutating func leaveOut(_ feature: ScenarioFeature) {
        switch feature {
        case .crowd: processes = min(processes, 2)
        case .userActions:
            betweenUserActions = nil
            signsInTwice = false
        case .kills: kills = 0
        case .sleep: betweenSuspends = nil
        case .wallSteps: betweenWallSteps = nil
        case .outages:
            betweenOutages = nil
            outageAfterSleep = 0
        case .vaultFaults: vaultFaults = 0
        case .feed: feed = .none
        case .fault(let name):
            faults.removeAll { $0.name == name }
            if faults.isEmpty { exchangeFaults = 0 }
            guard var served = feed.served else { return }
            served.faults.removeAll { $0.name == name }
            feed = .served(served)
        }
    }
}
