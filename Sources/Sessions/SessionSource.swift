package import Lifecycle
import Tokens

/// A source of a session's events, which also performs the user's commands.
///
/// Any number of readers, such as a screen, JSON lines and a log, may follow the events.
package protocol SessionSource: Sendable {
    /// The id of the session in its events.
    var id: SessionID { get }
    var events: EventHub { get }
    /// The current state of the session.
    var state: SessionState { get async }
    /// Produces events until the calling task is cancelled, then ends all streams of `events`.
    func run() async
    /// Starts a command of the user; its outcome is reported by events.
    func perform(_ command: SessionCommand) async
    /// Closes open connections properly, within a few seconds.
    func leave() async
}

extension SessionStore: SessionSource {
    /// Runs with the automatic requests that its capabilities specify.
    package func run() async {
        await run(requestEvery: machine.configuration.capabilities.requestEvery)
    }

    package func perform(_ command: SessionCommand) {
        switch command {
        case .renewNow: send(.refreshNow)
        case .logIn: send(.logIn)
        case .cancelLogIn: send(.cancelLogIn)
        case .logOut(let scope): send(.logOut(scope))
        case .setPaused(let extent, let cause): send(.setPaused(extent, by: cause))
        case .send(.custom(let request)): start(.custom(request), why: .custom)
        case .send(let call): start(call, why: .person)
        case .checkClocks: send(.tick)
        case .tryVault: send(.unlock)
        case .askForOpinions: send(.askForOpinions)
        case .experiment(let experiment): send(.experiment(experiment))
        case .noteClockShift(let seconds): send(.clockShifted(seconds: seconds))
        case .noteFaults(var change):
            change.active = change.active.map { secrets.hiding(in: $0) }
            send(.faultsObserved(change))
        }
    }
}
