import Basics
package import Model

/// A random sequence of faults, one at a time; equal seeds give equal schedules.
package struct FaultSchedule: Sendable {
    package struct Step: Sendable, Hashable {
        /// Seconds since the previous step, or since the start.
        package let after: Double
        package let setting: FaultSetting
    }

    /// The seconds without a fault.
    private static let quiet = 3.0...15.0
    /// The seconds with a fault.
    private static let trouble = 5.0...20.0

    let seed: UInt64
    private var random: SeededGenerator
    private var present: Fault?

    package init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    /// Returns the next step; the schedule never ends.
    package mutating func next() -> Step {
        if let fault = present {
            present = nil
            return Step(after: random.uniform(Self.trouble), setting: FaultSetting(fault, .off))
        }
        let known = Fault.ofBackend
        let fault = known[Int.random(in: 0..<known.count, using: &random)]
        let states = [FaultState.always, .next(1), .chance(0.5)]
        let state = states[Int.random(in: 0..<states.count, using: &random)]
        present = fault
        return Step(after: random.uniform(Self.quiet), setting: FaultSetting(fault, state))
    }
}
