package import Basics
import Client
import Model

/// One process of the machine, from a start or a death to the next death.
///
/// A reference, because a copy would copy the whole machine.
final class SimulatedProcess<Client: SimulatedClient> {
    /// Operations that are performed one after another, as in the store.
    struct Line {
        var waiting: [SessionEffect] = []
        var isBusy = false
    }

    let number: Int
    /// Counts the starts; what was meant for an earlier one is void.
    var incarnation = 0
    /// `nil` while the process does not run.
    private var liveState: LiveState?
    /// The view after its last step, or `nil` while it does not run.
    private(set) var view: MachineView?
    var isSuspended = false
    /// Inputs that arrived while it was stopped.
    private(set) var held: [SessionInput] = []
    /// The instant its timer is set for.
    var armedFor: Instant?
    var armings = 0
    var vaultLine = Line()
    var lockLine = Line()
    /// The number of effects whose outcome is not reported yet.
    var pending = 0
    var callers: [Int: Caller] = [:]
    var requests: [Int: Instant] = [:]
    /// The actions whose results callers wait for.
    var actions: [Int: SessionAction] = [:]
    /// The sockets of the feed, by the machine's numbers, until their end is reported.
    var sockets: [Int: SimulatedSocket] = [:]
    var lastWaiter = 0
    /// When it last reported that a pair could not be written.
    var unsavedAt: Instant?
    /// Steps in a row without time passing: a machine that never comes to rest.
    var stepsAtOneInstant = 0
    var lastStepAt = Instant.origin

    init(number: Int, incarnation: Int = 0, armings: Int = 0) {
        self.number = number
        self.incarnation = incarnation
        self.armings = armings
    }

    /// Apart, so that it is changed in place.
    private final class LiveState {
        var client: Client

        init(_ client: Client) {
            self.client = client
        }

        var view: MachineView { Self.view(of: &client) }

        /// In place, because a getter of a property of a class is called on a copy.
        private static func view(of client: inout Client) -> MachineView { client.view }
    }

    var isAlive: Bool { liveState != nil }

    /// When it wants a tick.
    var deadline: Instant? { view?.nextDeadline }

    func begin(_ client: Client) {
        let liveState = LiveState(client)
        self.liveState = liveState
        view = liveState.view
    }

    /// Keeps what arrives while it is stopped; many notices of a changed vault are one.
    func hold(_ input: SessionInput) {
        let isNotice = { if case SessionInput.vaultChanged = $0 { true } else { false } }
        guard !isNotice(input) || !held.contains(where: isNotice) else { return }
        held.append(input)
    }

    func release() -> [SessionInput] {
        defer { held = [] }
        return held
    }

    func countRest(at now: Instant) {
        stepsAtOneInstant = lastStepAt == now ? stepsAtOneInstant + 1 : 0
        lastStepAt = now
    }

    func handle(_ input: SessionInput, at moment: Moment) -> [SessionEffect] {
        guard let liveState else { return [] }
        let effects = liveState.client.handle(input, at: moment)
        view = liveState.view
        return effects
    }
}

/// A caller that waits for a token.
package struct Caller {
    package var deadline: Instant
}
