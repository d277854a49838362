package import Basics
package import Model

/// Keeps the settings of all faults and counts how often each has fired.
///
/// A value without IO: the caller asks it at each exchange and at each moment of a feed.
package struct FaultController: Sendable {
    private struct Entry: Sendable {
        var setting: FaultSetting
        var fired = 0

        /// Returns whether the fault fires now; draws a number only if that depends on chance.
        mutating func fires(drawing random: inout SeededGenerator) -> Bool {
            switch setting.state {
            case .off: return false
            case .always: break
            case .next(let count): setting.state = count > 1 ? .next(count - 1) : .off
            case .chance(let probability):
                guard random.uniform(0...1) < probability else { return false }
            }
            fired += 1
            return true
        }
    }

    private var entries: [Entry]

    /// Creates a controller with all faults off except those that are given.
    package init(_ switches: [FaultSetting] = []) {
        entries = FaultSetting.allOff(at: .backend).map { Entry(setting: $0) }
        for setting in switches { set(setting) }
    }

    /// Replaces the setting of a fault.
    package mutating func set(_ setting: FaultSetting) {
        guard let index = entries.firstIndex(where: { $0.setting.fault.name == setting.fault.name })
        else {
            return
        }
        entries[index].setting = setting
    }

    /// The status of every fault, in the order of the list.
    package var statuses: [FaultStatus] {
        entries.map { entry in
            FaultStatus(
                name: entry.setting.fault.name,
                summary: entry.setting.fault.sentence,
                state: entry.setting.state.description,
                setting: entry.setting.description,
                kinds: entry.setting.fault.kinds,
                parameter: entry.setting.fault.parameterText,
                fired: entry.fired
            )
        }
    }

    /// The number of times each fault has fired, by name, without those that have not.
    package var fired: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: entries.filter { $0.fired > 0 }
                .map { ($0.setting.fault.name, $0.fired) }
        )
    }

    /// Returns the faults that affect an exchange, and counts them as fired.
    package mutating func faults(
        for kind: ExchangeKind,
        drawing random: inout SeededGenerator
    ) -> [Fault] {
        fire(drawing: &random) { setting in
            setting.fault.moments.isEmpty && setting.fault.kinds.contains(kind)
                && (setting.kinds.isEmpty || setting.kinds.contains(kind))
        }
    }

    /// Returns what the feed does at a moment, and counts the faults that fire.
    package mutating func decision(
        at moment: FeedMoment,
        drawing random: inout SeededGenerator
    ) -> FeedDecision {
        FeedDecision(moment, under: fire(drawing: &random) { $0.fault.moments.contains(moment) })
    }

    /// Fires those that are on and can act now.
    private mutating func fire(
        drawing random: inout SeededGenerator,
        where canAct: (FaultSetting) -> Bool
    ) -> [Fault] {
        entries.indices.compactMap { index in
            let setting = entries[index].setting
            guard setting.state != .off, canAct(setting), entries[index].fires(drawing: &random)
            else { return nil }
            return setting.fault
        }
    }
}

/// The setting of one fault and the number of times it has fired.
package struct FaultStatus: Sendable, Hashable, Codable {
    var name: String
    var summary: String
    /// The state in the syntax of a setting: `off`, `on`, `once`, `next=3`, `p=0.2`.
    package var state: String
    /// The whole setting in its syntax.
    package var setting: String
    /// The exchanges that it can affect.
    var kinds: [ExchangeKind]
    /// The parameter that may be set, such as `seconds=0 to 600`.
    var parameter: String?
    /// The number of times it has fired.
    var fired: Int
}
