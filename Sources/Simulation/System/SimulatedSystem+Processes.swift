import Basics
import Client
import Model
import Profiles

/// Processes start, step, stop, die and start again.
extension SimulatedSystem {
    func start(_ process: Int) {
        processes[process].incarnation += 1
        let configuration = SessionConfiguration(
            profile: "simulated",
            capabilities: Capabilities(
                dialect: "simulated",
                title: "",
                baseURL: "http://127.0.0.1",
                rotation: scenario.rotation,
                logoutScopes: scenario.logoutScopes,
                hasFeed: scenario.feed.configuration != nil,
                hasProtectedRequest: true,
                vault: "simulated",
                requestEvery: nil
            ),
            rotation: scenario.rotation,
            hasRefreshToken: scenario.hasRefreshToken,
            refreshSlides: scenario.refreshSlides,
            renewsByLogin: scenario.renewsByLogin,
            renewal: RenewalPolicy(leadOverride: scenario.lead),
            giveUpAfter: scenario.giveUpAfter,
            attempts: scenario.attempts,
            renewsBeforeUse: scenario.renewsBeforeUse,
            refusalEnds: scenario.refusalEnds,
            secondRefusalEnds: scenario.secondRefusalEnds,
            logoutNeeds: scenario.logoutNeeds,
            feed: scenario.feed.configuration
        )
        processes[process].begin(making(configuration, fingerprinter, random.fork()))
        log("starts", by: process)
        step(process, .start)
    }

    /// Delivers an input to a process, now or once it is resumed.
    func deliver(_ input: SessionInput, to process: Int, _ incarnation: Int) {
        guard isAlive(process, incarnation) else { return }
        guard !processes[process].isSuspended else {
            processes[process].hold(input)
            return
        }
        if input.endsEffect { processes[process].pending -= 1 }
        step(process, input)
    }

    /// One step of the machine.
    func step(_ process: Int, _ input: SessionInput) {
        let subject = processes[process]
        guard !isStopped, let before = subject.view else { return }
        if subject.isSuspended {
            subject.hold(input)
            return
        }
        let fatal = drawTermination()
        if fatal == .beforeDelivery {
            observe(.disrupted(.killBeforeDelivery), of: process)
            return kill(process)
        }
        steps += 1
        let effects = subject.handle(input, at: clock.moment(at: now))
        guard let after = subject.view else { return }
        log(StepText.text(input, before, after), by: process)
        let step = Step(
            process: process,
            now: now,
            input: input,
            effects: effects,
            before: before,
            after: after
        )
        observe(.handled(step), of: process)
        subject.countRest(at: now)
        perform(effects, of: process, dyingAt: fatal)
        guard processes[process] === subject, !isStopped else { return }
        arm(process)
        let pending = PendingWork(
            deadline: after.sessionDeadline,
            effects: subject.pending,
            stepsAtOneInstant: subject.stepsAtOneInstant,
            callers: subject.callers,
            requests: subject.requests,
            actions: subject.actions
        )
        observe(.rested(step, pending), of: process)
    }

    private func perform(_ effects: [SessionEffect], of process: Int, dyingAt fatal: Termination?) {
        var fatalIndex = -1
        if fatal == .atEffect {
            let candidates = effects.indices.filter { effects[$0].isWork }
            if candidates.isEmpty {
                fatalIndex = -1
            } else {
                fatalIndex = candidates.drawn(&random)
            }
        }
        if scenario.kills > 0, let rare = effects.firstIndex(where: \.isRare), random.happens(0.1) {
            fatalIndex = rare
        }
        for (index, effect) in effects.enumerated() {
            if index == fatalIndex, random.happens(0.5) {
                observe(.disrupted(.killBefore(effect)), of: process)
                return kill(process)
            }
            dispatch(effect, of: process)
            guard !isStopped else { return }
            if index == fatalIndex {
                observe(.disrupted(.killAfter(effect)), of: process)
                return kill(process)
            }
        }
    }

    /// Sets the process's timer as the store does.
    private func arm(_ process: Int) {
        let subject = processes[process]
        let deadline = subject.deadline
        guard deadline != subject.armedFor else { return }
        subject.armedFor = deadline
        subject.armings += 1
        guard let deadline else { return }
        queue.insert(.tick(process: process, arming: subject.armings), at: max(deadline, now))
    }

    // MARK: - Termination and sleep

    enum Termination: Equatable {
        case beforeDelivery
        case atEffect
    }

    private func drawTermination() -> Termination? {
        guard scenario.kills > 0, random.happens(scenario.kills) else { return nil }
        return random.happens(0.2) ? .beforeDelivery : .atEffect
    }

    /// Kills a process: what is in the vault and in transit remains.
    func kill(_ process: Int) {
        log("dies", by: process)
        cutSockets(of: process)
        processes[process] = SimulatedProcess(
            number: processes[process].number,
            incarnation: processes[process].incarnation,
            armings: processes[process].armings + 1
        )
        observe(.died(clock.moment(at: now)), of: process)
        if let next = vault.release(process: process) { grantLock(next) }
        // Most processes are started again soon.
        let pause = random.happens(0.7) ? random.uniform(0.01...2) : scenario.accessLifetime
        schedule(.start(process: process), in: pause)
    }

    func suspendAtRandom() {
        guard let mean = scenario.betweenSuspends else { return }
        schedule(.suspend, in: random.wait(mean: mean))
        let isWholeMachine = random.happens(0.5)
        let chosen = processToSuspend()
        let seconds = random.logUniform(1...max(10, 3 * scenario.accessLifetime))
        suspensions += 1
        observe(.disrupted(isWholeMachine ? .suspendMachine : .suspendProcess))
        for process in processes.indices where isWholeMachine || process == chosen {
            guard !processes[process].isSuspended, processes[process].isAlive else {
                continue
            }
            processes[process].isSuspended = true
            log("sleeps \(ElapsedFormatter.text(seconds))", by: process)
            let late = isWholeMachine ? 0 : random.uniform(0...0.5)
            schedule(.resume(process: process), in: seconds + late)
        }
    }

    /// Returns the process to suspend: often one that is renewing, which would rarely be chosen at
    /// random.
    private func processToSuspend() -> Int {
        if scenario.kind.isRough, let holder = vault.holder, random.happens(0.7) {
            return holder.process
        }
        return Int.random(in: processes.indices, using: &random)
    }

    func resume(_ process: Int) {
        guard processes[process].isSuspended else { return }
        if random.happens(scenario.outageAfterSleep) {
            loseNetwork(for: random.logUniform(scenario.outage))
        }
        processes[process].isSuspended = false
        log("wakes", by: process)
        observe(.woke(overdueSince: processes[process].view?.sessionDeadline), of: process)
        var waiting = processes[process].release()
        processes[process].armedFor = nil
        processes[process].armings += 1
        let ticks = waiting.contains { if case .tick = $0 { true } else { false } }
        waiting.removeAll { if case .tick = $0 { true } else { false } }
        let isOverdue = processes[process].deadline.map { $0 <= now } ?? false
        let incarnation = processes[process].incarnation
        // The timer and the answers race.
        if ticks || isOverdue {
            let place = Int.random(in: 0...waiting.count, using: &random)
            waiting.insert(.tick, at: place)
        }
        for input in waiting {
            guard isAlive(process, incarnation) else { return }
            if input.endsEffect { processes[process].pending -= 1 }
            step(process, input)
        }
        guard isAlive(process, incarnation) else { return }
        arm(process)
        advanceVaultLine(process)
        advanceLockLine(process)
    }
}

extension SessionInput {
    /// Whether an effect's end comes back with it.
    var endsEffect: Bool {
        switch self {
        case .recordLoaded, .flightLocked, .flightRefused, .committed, .vaultChecked, .loginEnded,
            .refreshEnded, .protectedEnded, .questionEnded, .revocationEnded, .probed,
            .authorizationEnded, .deviceAuthorized:
            true
        case .start, .tick, .logIn, .cancelLogIn, .authorizationPushed, .authorizationPrompted,
            .authorizationStrayed, .logOut, .refreshNow, .setPaused, .tryVault, .sendRequest,
            .tokenNeeded, .waiterCancelled, .served, .requestCancelled, .feedRejected,
            .vaultChanged, .feed,
            .experiment, .introspect, .clockShifted, .faultsObserved, .profileEdited,
            .flightLockHeld, .perform, .callerCancelled:
            false
        }
    }
}

extension SessionEffect {
    /// Termination seeks these out: it would else hardly ever find them.
    var isRare: Bool {
        switch self {
        case .sendLogin, .sendRefresh, .sendRevocation, .probe: true
        case .authorize, .cancelAuthorization, .loadRecord, .lockFlight, .unlockFlight, .commit,
            .checkVault, .sendProtected, .ask, .resume,
            .finish, .finishRequest, .feed, .emit:
            false
        }
    }

    /// Whether the system must do something that takes time.
    var isWork: Bool {
        switch self {
        case .loadRecord, .lockFlight, .unlockFlight, .commit, .checkVault, .sendLogin,
            .sendRefresh,
            .sendProtected, .ask, .sendRevocation, .probe, .authorize:
            true
        case .cancelAuthorization, .resume, .finish, .finishRequest, .feed, .emit: false
        }
    }
}
