import Basics
import Client
package import Model
import Profiles

/// Callers, users, and changes of the wall clock.
extension SimulatedSystem {
    func call(_ process: Int) {
        schedule(.call(process: process), in: random.wait(mean: scenario.betweenCalls))
        guard mayPerform(process) else { return }
        processes[process].lastWaiter += 1
        let waiter = processes[process].lastWaiter
        let timeout = random.uniform(0.1...30)
        let deadline = now.advanced(bySeconds: timeout)
        processes[process].callers[waiter] = Caller(deadline: deadline)
        let incarnation = processes[process].incarnation
        step(process, .tokenNeeded(waiter: waiter, deadline: deadline))
        guard isAlive(process, incarnation), processes[process].callers[waiter] != nil,
            random.happens(0.3)
        else { return }
        schedule(
            .cancel(process: process, incarnation: incarnation, waiter: waiter),
            in: random.uniform(0...timeout)
        )
    }

    /// A process that is awake; where nothing may go wrong, only one that is logged in.
    private func mayPerform(_ process: Int) -> Bool {
        guard let state = processes[process].view?.state, !processes[process].isSuspended else {
            return false
        }
        return scenario.kind.isRough || state.isLive
    }

    func cancel(_ process: Int, _ incarnation: Int, _ waiter: Int) {
        guard isAlive(process, incarnation), processes[process].callers[waiter] != nil else {
            return
        }
        observe(.disrupted(.callerCancels), of: process)
        deliver(.waiterCancelled(waiter), to: process, incarnation)
    }

    func request(_ process: Int) {
        schedule(.request(process: process), in: nextRequest())
        guard mayPerform(process) else { return }
        processes[process].lastWaiter += 1
        let id = processes[process].lastWaiter
        let deadline = now.advanced(bySeconds: SimulatedTimeouts.answer)
        processes[process].requests[id] = deadline
        step(process, .sendRequest(id: id, why: .simulated(id), deadline: deadline))
    }

    func nextRequest() -> Double {
        guard let end = scenario.regularUntil else {
            return random.wait(mean: scenario.betweenRequests)
        }
        let isOver = now.seconds(since: .origin) > end
        return isOver ? max(3_600, scenario.betweenRequests) : scenario.betweenRequests
    }

    /// Schedules another login, because a system without a session tests nothing.
    func scheduleLogin(_ process: Int) {
        guard scenario.signsInAgain else { return }
        let isQuick = random.happens(0.5)
        let pause = isQuick ? random.uniform(0.1...3) : random.uniform(1...2) * timeout
        schedule(
            .login(process: process, incarnation: processes[process].incarnation),
            in: pause
        )
    }

    func logInAgain(_ process: Int, _ incarnation: Int) {
        let isSignedIn = processes[process].view?.state.isLive ?? false
        guard scenario.signsInTwice || !isSignedIn else { return }
        deliver(.logIn, to: process, incarnation)
    }

    private var timeout: Double { min(scenario.accessLifetime, 600) }

    func performUserAction() {
        guard let mean = scenario.betweenUserActions else { return }
        schedule(.userAction, in: randomness.wait(mean: mean))
        let process = Int.random(in: processes.indices, using: &randomness)
        guard !processes[process].isSuspended, let view = processes[process].view else { return }
        // Users log out most often once the token has expired: the hardest moment.
        let isUrgent =
            scenario.kind == .impatientUsers && view.state.isDead && randomness.happens(0.3)
        switch isUrgent ? 2 : Int.random(in: 0..<20, using: &randomness) {
        case 0, 1: logOut(.this, process)
        case 2, 16: logOut(.everywhere, process)
        case 3, 4, 5, 6:
            perform(.refreshNow, .pressRenew, process)
            awaitResult(of: .refresh, process)
        case 7: perform(.setPaused(view.flags.isPaused ? nil : .timer), .pressPause, process)
        case 8: perform(.setPaused(view.flags.isPaused ? nil : .all), .pressPause, process)
        case 9: perform(.tryVault, .pressUnlock, process)
        case 17: perform(.setPaused(.timer, by: .background), .leaveTerminal, process)
        case 10, 11:
            perform(.logIn, .pressLogin, process)
            awaitResult(of: .logIn, process)
        case 12: deleteRecord()
        case 13, 14, 15: refuseFeed(of: process)
        default:
            // A burst of callers, as when a screen opens.
            for _ in 0..<3 { call(process) }
        }
        if view.flags.isPaused, randomness.happens(0.5) {
            for cause in view.flags.pauses.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                perform(.setPaused(nil, by: cause), .pressPause, process)
            }
        }
    }

    private func perform(_ input: SessionInput, _ fault: Disruption, _ process: Int) {
        observe(.disrupted(fault), of: process)
        step(process, input)
    }

    /// Has a caller wait for the result of an action that has just begun, for a limited time.
    private func awaitResult(of action: SessionAction, _ process: Int) {
        guard processes[process].isAlive, !isStopped else { return }
        let incarnation = processes[process].incarnation
        processes[process].lastWaiter += 1
        let caller = processes[process].lastWaiter
        processes[process].actions[caller] = action
        step(process, .perform(action, caller: caller))
        schedule(
            .input(process: process, incarnation: incarnation, .callerCancelled(caller)),
            in: SimulatedTimeouts.action
        )
    }

    private func logOut(_ scope: LogoutScope, _ process: Int) {
        let fault: Disruption = scope == .this ? .pressLogout : .pressLogoutEverywhere
        observe(.disrupted(fault), of: process)
        let family = processes[process].view?.held?.family
        let isSwift = scenario.vaultFaults == 0 && scenario.vaultWrite.upperBound <= 0.01
        let incarnation = processes[process].incarnation
        step(process, .logOut(scope))
        awaitResult(of: .logOut(scope), process)
        guard isAlive(process, incarnation), let family, isSwift,
            processes[process].view?.held == nil, !isStopped
        else { return }
        // 100 ms, after at most this number of writes of 10 ms each.
        schedule(
            .logoutMustBeDone(
                process: process,
                incarnation: incarnation,
                family: family,
                suspensions: suspensions
            ),
            in: 0.1
        )
    }

    func stepWall() {
        guard let mean = scenario.betweenWallSteps else { return }
        schedule(.wallStep, in: randomness.wait(mean: mean))
        let seconds = randomness.uniform(-3600...3600)
        observe(.disrupted(.wallStep))
        log("the wall clock is set by \(Int(seconds)) s", by: nil)
        observe(.clockSet)
        clock.wallOffset += seconds
    }
}

extension SessionState {
    /// A session whose access token may no longer be used.
    package var isDead: Bool {
        switch self {
        case .blocked, .expired: true
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .fresh, .renewing, .retrying,
            .unknown, .draining, .signingOut:
            false
        }
    }
}

extension RequestCause {
    /// Returns a cause that identifies a simulated request among those of its process, because its
    /// records have no id.
    package static func simulated(_ id: Int) -> RequestCause { .interval(seconds: Double(id)) }
}
