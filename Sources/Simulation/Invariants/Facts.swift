import Basics
import Client
import Model

/// One step of one machine, from outside.
struct Step {
    let process: Int
    let now: Instant
    let input: SessionInput
    let effects: [SessionEffect]
    let before: MachineView
    let after: MachineView
}

/// A request at the moment at which its first byte leaves.
struct SentRequest {
    let process: Int
    let purpose: PendingExchange.Purpose
    let operation: OperationID
    let view: MachineView
    let now: Instant
}

/// A change of the record at the moment at which it is durable.
struct VaultWrite {
    let process: Int
    let old: VaultRecord?
    let new: VaultRecord
    let now: Instant
    /// Both hold a pair of the same session.
    let staysInFamily: Bool

    init(process: Int, old: VaultRecord?, new: VaultRecord, now: Instant) {
        self.process = process
        self.old = old
        self.new = new
        self.now = now
        staysInFamily = old?.pair != nil && new.pair != nil && old?.family == new.family
    }
}
