import Backend

/// What `GET /__sandbox/faults` answers.
struct FaultList: Sendable, Encodable {
    struct Schedule: Sendable, Encodable {
        let seed: UInt64
    }

    /// How to write a switch.
    let syntax =
        "{\"on\" or \"once\" or \"off\": SWITCH or [SWITCH, …]}: a SWITCH is " + FaultSetting.syntax
    /// `nil` when nothing switches them but people.
    let schedule: Schedule?
    let faults: [FaultStatus]
}
