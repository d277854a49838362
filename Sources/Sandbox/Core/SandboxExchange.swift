import Backend

/// An exchange under way, and the faults that were chosen for it: switching in the middle of an
/// exchange does not change it.
struct SandboxExchange: Sendable {
    var exchange: BackendExchange
    let faults: [Fault]
}
