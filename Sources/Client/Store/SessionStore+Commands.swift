import Basics
package import Model

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
        case .send(let call): start(call, why: .user)
        case .checkClocks: send(.tick)
        case .tryVault: send(.tryVault)
        case .introspect: send(.introspect)
        case .experiment(let experiment): send(.experiment(experiment))
        case .reportClockShift(let seconds): send(.clockShifted(seconds: seconds))
        case .reportFaults(var change):
            change.active = change.active.map { secrets.hiding(in: $0) }
            send(.faultsObserved(change))
        }
    }
}
