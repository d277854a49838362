/// What a world is there to show; some promises hold only under conditions.
package enum ScenarioKind: String, Sendable, Hashable, CaseIterable {
    /// Nothing goes wrong: nobody waits, nothing is refused, nothing is asked twice.
    case healthy
    /// One-time tokens and many processes, some of them stopped now and then.
    case siblings
    /// SimulatedResponses are lost, and the server forgives that for a while.
    case forgiven
    /// SimulatedResponses are lost, and the server forgives nothing.
    case unforgiven
    /// The server is away for a while.
    case outages
    /// Somebody sets the wall clock, and nothing else happens.
    case clocks
    /// Everything at once.
    case storm
    /// One thing goes wrong, again and again.
    case trouble
    /// People who cannot wait, on a slow network.
    case people
    /// The machine sleeps more than it wakes, and the network is back later than the machine.
    case sleepers

    /// Whether anything may happen at any time, so that only the promises without conditions hold.
    var isRough: Bool {
        switch self {
        case .storm, .trouble, .people, .sleepers: true
        case .healthy, .siblings, .forgiven, .unforgiven, .outages, .clocks: false
        }
    }
}
