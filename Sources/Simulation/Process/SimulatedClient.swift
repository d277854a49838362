package import Basics
package import Client
import Model

/// The subject of the simulation: the real machine, or one that a test has broken on purpose.
package protocol SimulatedClient: Sendable {
    mutating func handle(_ input: SessionInput, at moment: Moment) -> [SessionEffect]
    var view: MachineView { get }
}

extension ClientMachine: SimulatedClient {}
