import Backend

/// An exchange under way, and the faults that were chosen for it: switching in the middle of an
/// exchange does not change it.
struct FaultedErrand: Sendable {
    var exchange: Exchange
    let faults: [Fault]
}
