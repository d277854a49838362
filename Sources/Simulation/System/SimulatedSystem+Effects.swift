import Basics
import Client
import Model
import Profiles

/// The limits of the store and the transports, in seconds.
package enum SimulatedTimeouts {
    /// The time that another process may hold the flight lock.
    static let lock = 25.0
    /// The time that the backend may take for a whole answer.
    package static let answer = 20.0
    static let probe = 3.0
    /// The time that a user waits for the result of an action.
    static let action = 60.0
    /// The time that a peer may take to answer a close.
    static let feedClose = 2.0
}

/// The store's handling of effects, on a virtual clock.
extension SimulatedSystem {
    func dispatch(_ effect: SessionEffect, of process: Int) {
        switch effect {
        case .emit(let event):
            emit(event, of: process)
        case .resume(let waiter, let result):
            let caller = processes[process].callers.removeValue(forKey: waiter)
            let isUnsaved = isUnsaved(process)
            observe(
                .resumed(waiter: waiter, caller, result, isUnsaved: isUnsaved),
                of: process
            )
        case .finish(let caller, let result):
            let action = processes[process].actions.removeValue(forKey: caller)
            let view = processes[process].view
            observe(.finishedAction(action, result, view), of: process)
        case .finishRequest(let id, _):
            let deadline = processes[process].requests.removeValue(forKey: id)
            observe(.finishedRequest(id: id, deadline: deadline), of: process)
        case .feed(let operation): dispatch(operation, of: process)
        case .loadRecord, .commit, .checkVault:
            processes[process].pending += 1
            processes[process].vaultLine.waiting.append(effect)
            advanceVaultLine(process)
        case .lockFlight:
            processes[process].pending += 1
            processes[process].lockLine.waiting.append(effect)
            advanceLockLine(process)
        case .unlockFlight(let id):
            giveUpLock(process, id)
            processes[process].lockLine.waiting.append(effect)
            advanceLockLine(process)
        // No simulated profile needs a browser, or has a request for an introspection.
        case .authorize, .cancelAuthorization, .ask: break
        case .sendLogin(let id, _):
            processes[process].pending += 1
            send(.login, id, of: process)
        case .sendRefresh(let id, let token):
            processes[process].pending += 1
            send(.refresh(token), id, of: process)
        case .sendProtected(let id, _, let token, _):
            processes[process].pending += 1
            send(.protected(token), id, of: process)
        case .sendRevocation(let id, let entry):
            processes[process].pending += 1
            send(.revocation(entry), id, of: process)
        case .probe(let id):
            processes[process].pending += 1
            probe(id, of: process)
        }
    }

    /// Whether the pair is marked as unsaved, even for the duration of this step only.
    private func isUnsaved(_ process: Int) -> Bool {
        processes[process].view?.flags.unsaved != nil || processes[process].unsavedAt == now
    }

    private func emit(_ event: SessionEvent, of process: Int) {
        if let interruption = event.kind as? Interruption {
            let slept = ElapsedFormatter.text(interruption.duration.inSeconds)
            log("notices that it slept \(slept)", by: process)
        }
        observe(.emitted(event), of: process)
        if scenario.searches > 0, randomness.happens(scenario.searches) {
            observe(.searched(event), of: process)
        }
        if event.kind is PairUnsaved {
            processes[process].unsavedAt = now
        } else if let pair = (event.kind as? TokensIssued)?.pair {
            if pair.origin == .refresh || pair.origin == .login { pairs += 1 }
            if pair.origin == .refresh, pair.rotated { rotations += 1 }
            if let view = processes[process].view {
                observe(.published(view, isUnsaved: isUnsaved(process)), of: process)
            }
        } else if event.kind is SignedOut {
            scheduleLogin(process)
        } else if case .signedOut? = (event.kind as? SessionStateChanged)?.to {
            scheduleLogin(process)
        }
    }

    private func probe(_ id: OperationID, of process: Int) {
        let isReached = now >= outageEnd && !random.happens(scenario.exchangeFaults / 2)
        observe(.disrupted(isReached ? .probeReached : .probeLost), of: process)
        let seconds = isReached ? 2 * random.uniform(scenario.transit) : SimulatedTimeouts.probe
        schedule(
            .input(
                process: process,
                incarnation: processes[process].incarnation,
                .probed(id, reached: isReached)
            ),
            in: min(seconds, SimulatedTimeouts.probe)
        )
    }
}
