/// The subject of a scenario; some invariants hold only under conditions.
package enum ScenarioKind: String, Sendable, Hashable, CaseIterable {
    /// There are no faults: nothing waits, is refused or is repeated.
    case healthy
    /// Many processes with one-time tokens, some of which are killed now and then.
    case siblings
    /// Responses are lost, and the server has a grace window.
    case lossWithGrace
    /// Responses are lost, and the server has no grace window.
    case lossWithoutGrace
    /// The server is away for a while.
    case outages
    /// The wall clock is set, and nothing else happens.
    case clocks
    /// Everything at once.
    case storm
    /// One kind of fault, repeatedly.
    case repeatedFault
    /// Impatient users on a slow network.
    case impatientUsers
    /// The computer is asleep most of the time, and the network returns after it wakes.
    case frequentSleep

    /// Whether anything may happen at any time, so that only unconditional invariants hold.
    var isRough: Bool {
        switch self {
        case .storm, .repeatedFault, .impatientUsers, .frequentSleep: true
        case .healthy, .siblings, .lossWithGrace, .lossWithoutGrace, .outages, .clocks: false
        }
    }
}
