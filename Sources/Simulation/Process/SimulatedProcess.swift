import Lifecycle
import Timekeeping
import Tokens

/// One process of the machine, from its first start on, through all its deaths.
struct SimulatedProcess<Client: SimulatedClient> {
    /// What is done one after another, as the store does it.
    struct Line {
        var waiting: [SessionEffect] = []
        var isBusy = false
    }

    let number: Int
    /// Counts the starts; what was meant for an earlier one is void.
    var incarnation = 0
    /// Nil while it is dead.
    var client: Client?
    var isSuspended = false
    /// What arrived while it was stopped.
    var held: [SessionInput] = []
    /// The instant its timer is set for.
    var armedFor: Instant?
    var armings = 0
    var vaultLine = Line()
    var lockLine = Line()
    /// Effects whose end has not come back yet.
    var pending = 0
    var callers: [Int: Caller] = [:]
    var requests: [Int: Instant] = [:]
    var lastWaiter = 0
    /// A refusal arrived, and the vault is being read again.
    var wasRefused = false
    /// Steps in a row without time passing: a machine that never comes to rest.
    var restlessSteps = 0
    var lastStepAt = Instant.origin
}

/// Somebody who waits for a token.
struct Caller {
    var deadline: Instant
    var askedAt: Instant
}

/// What a process is seen to be before and after a step.
struct Sight {
    var state: SessionState
    var flags: SessionFlags
    var held: HeldPair?
}

extension SimulatedProcess {
    var sight: Sight? {
        client.map { Sight(state: $0.state, flags: $0.flags, held: $0.held) }
    }
}
