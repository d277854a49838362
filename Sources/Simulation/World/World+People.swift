import Dialects
import Lifecycle
import Timekeeping

/// Callers, people, and whoever sets the clock.
extension World {
    func call(_ process: Int) {
        schedule(.call(process: process), in: random.wait(mean: scenario.betweenCalls))
        guard mayAct(process) else { return }
        processes[process].lastWaiter += 1
        let waiter = processes[process].lastWaiter
        let patience = random.uniform(0.1...30)
        let deadline = now.advanced(bySeconds: patience)
        processes[process].callers[waiter] = Caller(deadline: deadline)
        let incarnation = processes[process].incarnation
        step(process, .tokenNeeded(waiter: waiter, deadline: deadline))
        guard isAlive(process, incarnation), processes[process].callers[waiter] != nil,
            random.happens(0.3)
        else { return }
        schedule(
            .cancel(process: process, incarnation: incarnation, waiter: waiter),
            in: random.uniform(0...patience)
        )
    }

    /// A process that is awake; where nothing may go wrong, only one that is signed in.
    private func mayAct(_ process: Int) -> Bool {
        guard let state = processes[process].sight?.state, !processes[process].isSuspended else {
            return false
        }
        return scenario.kind.isRough || state.isLive
    }

    func cancel(_ process: Int, _ incarnation: Int, _ waiter: Int) {
        guard isAlive(process, incarnation), processes[process].callers[waiter] != nil else {
            return
        }
        coverage.count(.callerCancels)
        deliver(.waiterCancelled(waiter), to: process, incarnation)
    }

    func request(_ process: Int) {
        schedule(.request(process: process), in: nextRequest())
        guard mayAct(process) else { return }
        processes[process].lastWaiter += 1
        let id = processes[process].lastWaiter
        let deadline = now.advanced(bySeconds: Self.answerLimit)
        processes[process].requests[id] = deadline
        step(process, .sendRequest(id: id, why: String(id), deadline: deadline))
    }

    func nextRequest() -> Double {
        guard let end = scenario.regularUntil else {
            return random.wait(mean: scenario.betweenRequests)
        }
        let isOver = now.seconds(since: .origin) > end
        return isOver ? max(3_600, scenario.betweenRequests) : scenario.betweenRequests
    }

    /// Somebody logs in again, sooner or later: a world without a session shows nothing.
    func scheduleLogin(_ process: Int) {
        guard scenario.signsInAgain else { return }
        let isQuick = random.happens(0.5)
        let pause = isQuick ? random.uniform(0.1...3) : random.uniform(1...2) * patience
        schedule(
            .input(process: process, incarnation: processes[process].incarnation, .logIn),
            in: pause
        )
    }

    private var patience: Double { min(scenario.accessLifetime, 600) }

    func doDeed() {
        guard let mean = scenario.betweenDeeds else { return }
        schedule(.deed, in: fortune.wait(mean: mean))
        let process = Int.random(in: processes.indices, using: &fortune)
        guard !processes[process].isSuspended, let sight = processes[process].sight else { return }
        // Who is offline wants out, and that is when it is hardest.
        let isUrgent = scenario.kind == .people && sight.state.isDead && fortune.happens(0.3)
        switch isUrgent ? 2 : Int.random(in: 0..<20, using: &fortune) {
        case 0, 1: logOut(.this, process)
        case 2, 16: logOut(.everywhere, process)
        case 3, 4, 5, 6: act(.refreshNow, .pressRenew, process)
        case 7, 8: act(.setPaused(!sight.flags.isPaused), .pressPause, process)
        case 9: act(.unlock, .pressUnlock, process)
        case 10, 11: act(.logIn, .pressLogin, process)
        case 12: deleteRecord()
        case 13, 14, 15:
            let generation = sight.held?.generation ?? 1
            let refused = max(1, generation - Int.random(in: 0...1, using: &fortune))
            act(.feedRejected(generation: refused), .feedRefused, process)
        default:
            // A burst of callers, as when a screen opens.
            for _ in 0..<3 { call(process) }
        }
        if sight.flags.isPaused, fortune.happens(0.5) {
            act(.setPaused(false), .pressPause, process)
        }
    }

    private func act(_ input: SessionInput, _ fault: Mishap, _ process: Int) {
        coverage.count(fault)
        step(process, input)
    }

    private func logOut(_ scope: LogoutScope, _ process: Int) {
        coverage.count(scope == .this ? .pressLogout : .pressLogoutEverywhere)
        let family = processes[process].sight?.held?.family
        let isSwift = scenario.vaultFaults == 0 && scenario.vaultWrite.upperBound <= 0.01
        let incarnation = processes[process].incarnation
        step(process, .logOut(scope))
        guard isAlive(process, incarnation), let family, isSwift,
            processes[process].sight?.held == nil, breach == nil
        else { return }
        // 100 ms, behind at most so many writes of 10 ms each.
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
        schedule(.wallStep, in: fortune.wait(mean: mean))
        let seconds = fortune.uniform(-3600...3600)
        coverage.count(.wallStep)
        tell("somebody sets the wall clock by \(Int(seconds)) s", by: nil)
        checks.clockWasSet()
        clock.wallOffset += seconds
    }
}
