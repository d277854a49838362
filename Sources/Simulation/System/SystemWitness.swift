package import Backend
package import Basics
package import Client
package import Model
import Profiles

/// Sees what happens in a simulated system, such as what checks it.
///
/// It draws nothing at random and changes nothing, so that a system lives the same with any of them.
package protocol SystemWitness: AnyObject {
    /// - Parameters:
    ///   - observation: The event.
    ///   - process: The process to which it happens, or `nil` if it concerns all.
    ///   - now: When it happens.
    /// - Returns: Whether the system goes on.
    func observe(_ observation: SystemObservation, of process: Int?, at now: Instant) -> Bool

    /// Adds to a description of the run, if there is one.
    func describe(_ text: @autoclosure () -> String, of process: Int?, at now: Instant)

    /// Returns when the first answer to a refresh with a token was lost, or `nil` if none was.
    func firstLoss(of token: RefreshToken) -> Instant?
}

extension SystemWitness {
    package func describe(_ text: @autoclosure () -> String, of process: Int?, at now: Instant) {}
    package func firstLoss(of token: RefreshToken) -> Instant? { nil }
}

/// The events of a simulated system.
package enum SystemObservation {
    /// Another session of the first user begins, which no process uses.
    case otherSession(family: Int)

    // MARK: A process
    case handled(Step)
    /// The effects of a step are carried out.
    case rested(Step, PendingWork)
    case emitted(SessionEvent)
    /// An event whose line is to be searched for tokens.
    case searched(SessionEvent)
    /// A pair is announced.
    case published(MachineView, isUnsaved: Bool)
    case resumed(waiter: Int, Caller?, Result<TokenGrant, WaitFailure>, isUnsaved: Bool)
    case finishedAction(SessionAction?, ActionResult, MachineView?)
    case finishedRequest(id: Int, deadline: Instant?)
    case woke(overdueSince: Instant?)
    case died(Moment)
    /// A logout that began 100 ms ago.
    case logoutDue(family: String, stored: VaultRecord?)

    // MARK: The network
    case sends(PendingExchange, MachineView?, SimulatedServer)
    /// The backend has decided on a request.
    case decided(PendingExchange, SimulatedServer)
    /// An answer arrives, or the wait for it ends.
    case ended(PendingExchange, isAlive: Bool, Moment)
    case dials(AccessToken, SimulatedServer)
    /// A socket begins later than after the last message that its client has.
    case feedMayMiss
    case networkLost(until: Instant)

    // MARK: The surroundings
    case wrote(VaultWrite)
    case recordRemoved(family: String?)
    case clockSet
    case disrupted(Disruption)
    case failed(Fault)
}

/// The backend of a simulated system at one moment.
package struct SimulatedServer {
    package let backend: AuthBackend
    package let policy: BackendPolicy
    package let clock: SimulatedClock
}

/// One step of one machine, from outside.
package struct Step {
    package let process: Int
    package let now: Instant
    package let input: SessionInput
    package let effects: [SessionEffect]
    package let before: MachineView
    package let after: MachineView
}

/// The event that a process waits for after a step.
package struct PendingWork {
    package var deadline: Instant?
    /// The number of effects whose outcome is not reported yet.
    package var effects: Int
    /// The number of consecutive steps at one instant.
    package var stepsAtOneInstant: Int
    package var callers: [Int: Caller]
    /// The deadlines of requests.
    package var requests: [Int: Instant]
    package var actions: [Int: SessionAction]
}

/// A change of the record at the moment at which it is durable.
package struct VaultWrite {
    package let process: Int
    package let old: VaultRecord?
    package let new: VaultRecord
    /// Both hold a pair of the same session.
    package let staysInFamily: Bool

    init(process: Int, old: VaultRecord?, new: VaultRecord) {
        self.process = process
        self.old = old
        self.new = new
        staysInFamily = old?.pair != nil && new.pair != nil && old?.family == new.family
    }
}
