import Basics

/// When a fault fires.
package enum FaultState: Sendable, Hashable {
    case off
    /// Each time it can.
    case always
    /// The next `n` times.
    case next(Int)
    /// Each time with this probability, which is greater than 0.
    case chance(Double)
}

/// A fault with its values, and when it acts, which users write as `delay:once:refresh:seconds=3` or
/// `lose-answer:hang@30s`, wherever it acts.
package struct FaultSetting: Sendable, Hashable {
    package var fault: Fault
    package var state: FaultState
    /// The exchanges that the fault is restricted to; if empty, every exchange that it can affect.
    package var kinds: Set<ExchangeKind>
    /// Seconds from the start of the run until it begins.
    package var delay = 0.0

    package init(_ fault: Fault, _ state: FaultState, kinds: Set<ExchangeKind> = []) {
        self.fault = fault
        self.state = state
        self.kinds = kinds
    }

    /// The settings that turn every fault of a place off.
    package static func allOff(at place: Fault.Place) -> [FaultSetting] {
        Fault.acting(at: place).map { FaultSetting($0, .off) }
    }
}

extension FaultState: CustomStringConvertible {
    package var description: String {
        switch self {
        case .off: "off"
        case .always: "on"
        case .next(1): "once"
        case .next(let count): "next=\(count)"
        case .chance(let probability): "p=\(probability)"
        }
    }
}

extension FaultSetting: CustomStringConvertible {
    /// The setting in the syntax that the user writes.
    package var description: String {
        let state = state == .always ? nil : state.description
        let kinds = ExchangeKind.allCases.filter(kinds.contains).map(\.rawValue)
        let parts =
            [fault.name, fault.usualValues, state].compactMap(\.self) + kinds
            + [fault.ownValues].compactMap(\.self)
        return parts.joined(separator: ":") + (delay == 0 ? "" : "@\(delay.shortest)s")
    }
}
