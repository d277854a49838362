package import Lifecycle

/// Where the events of a session come from, and who does what a person asks of it.
///
/// A screen, lines of JSON and a log take any number of them.
package protocol SessionSource: Sendable {
    /// The session that its events name.
    var id: SessionID { get }
    var events: EventHub { get }
    /// Where the session stands.
    var state: SessionState { get async }
    /// Produces events until the calling task is cancelled, and ends all readers of `events` then.
    func run() async
    /// Begins to do what a person asks; what becomes of it is told by events.
    func perform(_ command: SessionCommand) async
    /// Closes in good order what is open, within a few seconds.
    func leave() async
}

extension SessionStore: SessionSource {
    /// Runs with the automatic requests that its capabilities name.
    package func run() async {
        await run(requestEvery: machine.configuration.capabilities.requestEvery)
    }

    package func perform(_ command: SessionCommand) {
        switch command {
        case .renewNow: send(.refreshNow)
        case .logIn: send(.logIn)
        case .logOut(let scope): send(.logOut(scope))
        case .setPaused(let extent, let cause): send(.setPaused(extent, by: cause))
        case .send(.custom(let request)): start(.custom(request), why: .custom)
        case .send(let call): start(call, why: .person)
        case .lookAtClocks: send(.tick)
        case .tryVault: send(.unlock)
        }
    }
}
