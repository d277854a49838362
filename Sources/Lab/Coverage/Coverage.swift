import Client
import Model
import Simulation

/// Counters of the situations that a run has covered.
struct Coverage: Sendable, Equatable {
    private(set) var disruptions: [Disruption: Int] = [:]
    private(set) var faults: [String: Int] = [:]
    private var transitions = Array(repeating: 0, count: Transition.allCases.count)

    func times(_ transition: Transition) -> Int {
        transitions[transition.rawValue]
    }

    mutating func count(_ disruption: Disruption) {
        disruptions[disruption, default: 0] += 1
    }

    mutating func count(_ fault: Fault) {
        faults[fault.name, default: 0] += 1
    }

    mutating func count(_ transition: Transition) {
        transitions[transition.rawValue] += 1
    }

    mutating func add(_ other: Coverage) {
        disruptions.merge(other.disruptions) { $0 + $1 }
        faults.merge(other.faults) { $0 + $1 }
        for index in transitions.indices { transitions[index] += other.transitions[index] }
    }
}
