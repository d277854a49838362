package import Timekeeping

/// Which faults are switched on, and how often each has acted.
///
/// A value without IO: the caller asks it at each exchange and at each moment of a feed.
package struct FaultController: Sendable {
    private struct Entry: Sendable {
        let fault: KnownFault
        var setting: FaultSetting
        var fired = 0

        /// Whether it acts now; a draw is made only where chance decides.
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

    /// Everything is off but what is said here.
    package init(_ switches: [FaultSetting] = []) {
        entries = KnownFault.all.map { Entry(fault: $0, setting: FaultSetting($0, .off)) }
        for setting in switches { set(setting) }
    }

    /// Replaces how a fault was set before.
    package mutating func set(_ setting: FaultSetting) {
        guard let index = entries.firstIndex(where: { $0.fault.name == setting.name }) else {
            return
        }
        entries[index].setting = setting
    }

    /// Every fault, in the order of the list.
    package var statuses: [FaultStatus] {
        entries.map { entry in
            FaultStatus(
                name: entry.fault.name,
                summary: entry.fault.summary,
                state: entry.setting.state.description,
                setting: entry.setting.description,
                kinds: entry.fault.kinds,
                parameter: entry.fault.parameter?.description,
                fired: entry.fired
            )
        }
    }

    /// How often each has acted, by name, without those that have not.
    package var fired: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: entries.filter { $0.fired > 0 }
                .map { ($0.fault.name, $0.fired) }
        )
    }

    /// The faults that act on an exchange; asking counts.
    package mutating func faults(
        for kind: ExchangeKind,
        drawing random: inout SeededGenerator
    ) -> [Fault] {
        var active: [Fault] = []
        for index in entries.indices where entries[index].setting.state != .off {
            guard case .exchange(let fault) = entries[index].fault, fault.kinds.contains(kind),
                entries[index].setting.concerns(kind),
                entries[index].fires(drawing: &random)
            else { continue }
            active.append(fault.set(to: entries[index].setting.value))
        }
        return active
    }

    /// What the feed does at a moment; asking counts.
    package mutating func decision(
        at moment: FeedMoment,
        drawing random: inout SeededGenerator
    ) -> FeedDecision {
        var active: [FeedFault] = []
        for index in entries.indices where entries[index].setting.state != .off {
            guard case .feed(let fault) = entries[index].fault, fault.moments.contains(moment),
                entries[index].fires(drawing: &random)
            else { continue }
            active.append(fault.set(to: entries[index].setting.value))
        }
        return FeedDecision(moment, under: active, drawing: &random)
    }
}

extension FaultSetting {
    fileprivate func concerns(_ kind: ExchangeKind) -> Bool {
        kinds.isEmpty || kinds.contains(kind)
    }
}

/// How one fault stands, for whoever asks.
package struct FaultStatus: Sendable, Hashable, Codable {
    package var name: String
    package var summary: String
    /// As it would be written: `off`, `on`, `once`, `next=3`, `p=0.2`.
    package var state: String
    /// All of it as it would be written.
    package var setting: String
    /// The exchanges in which it can show.
    package var kinds: [ExchangeKind]
    /// The number that may be given with it, such as `seconds=0 to 600`.
    package var parameter: String?
    /// How often it has acted.
    package var fired: Int
}
