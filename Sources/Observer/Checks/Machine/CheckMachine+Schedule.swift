import Basics
import Model
import Profiles

/// The choice of the next request: never two requests within the interval, those with a time first.
extension CheckMachine {
    mutating func advance(at now: Moment) -> [CheckEffect] {
        var effects: [CheckEffect] = []
        var wake: Instant?
        var isHeld = false
        settle(at: now)
        while let next = candidate(at: now.now) {
            isHeld = next.isAlone && !(pending.isEmpty && finalLogouts.isEmpty)
            // To watch a socket, nothing is sent.
            let free = next.isWatch ? next.due : max(nextSend, pausedUntil)
            let due = max(next.due, free)
            guard due <= now.now, !isHeld else {
                wake = due
                break
            }
            effects += send(next, at: now)
            settle(at: now)
        }
        guard !isHeld else { return effects }
        if let logout = finalLogout(before: wake, at: now) {
            effects += logout.effects
            wake = logout.next.map { min($0, wake ?? $0) } ?? wake
        }
        if let end = nextWatchEnd { wake = min(end, wake ?? end) }
        if let wake { effects.append(.wake(at: wake)) }
        return effects
    }

    private struct Candidate {
        let sequence: Int
        let probeSession: Int
        let step: Step
        let due: Instant
        var isAlone: Bool {
            if case .refreshTwice = step.action { true } else { false }
        }
        var isWatch: Bool {
            if case .watch = step.action { true } else { false }
        }
    }

    /// Returns the step that is due first; of those that are due, one with a time of its own.
    private func candidate(at now: Instant) -> Candidate? {
        guard let sequences = groups.first, failure == nil else { return nil }
        var timed: Candidate?
        var ready: Candidate?
        for (index, sequence) in sequences.enumerated() {
            guard let name = sequence.probes.first, let probeSessions = sequence.probeSessions
            else {
                continue
            }
            for probeSession in probeSessions where !probeSession.isOver {
                if case .ready = probeSession.phase, let step = step(of: probeSession, in: name),
                    !step.isLast
                        || sequences.indices.allSatisfy({ other in
                            other == index || sequences[other].probes.isEmpty
                        })
                {
                    let due = due(step, in: probeSession)
                    let next = Candidate(
                        sequence: index,
                        probeSession: probeSession.number,
                        step: step,
                        due: due ?? now
                    )
                    if let due {
                        if timed.map({ due < $0.due }) ?? true { timed = next }
                    } else if ready == nil {
                        ready = next
                    }
                }
                if !name.probe.runsProbeSessionsTogether { break }
            }
        }
        if let timed, timed.due <= now || ready == nil { return timed }
        return ready
    }

    private func step(of probeSession: ProbeSession, in name: ProbeName) -> Step? {
        let script = name.probe.script(of: probeSession, record)
        return script.count > probeSession.results.count ? script[probeSession.results.count] : nil
    }

    /// The time before which a step must not be sent, or `nil` if there is none.
    private func due(_ step: Step, in probeSession: ProbeSession) -> Instant? {
        guard let start else { return nil }
        var due: Instant?
        if let wait = step.notBefore, let after = probeSession[wait.step] {
            due = start.now.advanced(bySeconds: after.endedAt + wait.seconds)
        }
        if record.makesTokensOfTime, step.action.isRefresh,
            let last = probeSession.exchanges.last(where: { $0.issued != nil })
        {
            let next = start.now.advanced(bySeconds: last.endedAt + CheckRecord.nextSecond)
            due = max(due ?? next, next)
        }
        if let retry = probeSession.retryAt { due = max(due ?? retry, retry) }
        return due
    }

    /// Begins and ends probes until one of each sequence has something to send or to wait for.
    private mutating func settle(at now: Moment) {
        endWatches(at: now)
        while failure == nil, !groups.isEmpty {
            for index in groups[0].indices { settle(sequence: index, at: now) }
            guard failure == nil, groups.first?.allSatisfy({ $0.probes.isEmpty }) ?? false else {
                return
            }
            groups.removeFirst()
            if let family = sharedFamily?.family {
                release([0: family])
                sharedFamily = nil
            }
        }
    }

    private mutating func settle(sequence index: Int, at now: Moment) {
        while failure == nil, let name = groups[0][index].probes.first {
            let probe = name.probe
            if groups[0][index].probeSessions == nil {
                if let reason = probe.skip(record, options) {
                    record.skip(name, reason)
                    groups[0][index].probes.removeFirst()
                    continue
                }
                groups[0][index].probeSessions = []
                groups[0][index].beganAt = seconds(now)
            }
            updateProbeSessions(of: probe, sequence: index, at: now)
            guard groups[0][index].probeSessions?.allSatisfy(\.isOver) ?? false else { return }
            end(probe, sequence: index, at: now)
        }
    }

    private mutating func updateProbeSessions(
        of probe: any Probe,
        sequence index: Int,
        at now: Moment
    ) {
        guard var probeSessions = groups[0][index].probeSessions else { return }
        if isStopped {
            for number in probeSessions.indices
            where !probeSessions[number].isUnderWay && !probeSessions[number].isOver {
                probeSessions[number].phase = .dropped
            }
            groups[0][index].probeSessions = probeSessions
            return
        }
        for number in probeSessions.indices where !probeSessions[number].isOver {
            if case .ready = probeSessions[number].phase {
                if probe.drops(probeSessions[number], given: probeSessions) {
                    probeSessions[number].phase = .dropped
                } else if step(of: probeSessions[number], in: probe.name) == nil {
                    probeSessions[number].phase = .finished
                }
            }
        }
        let clock = CheckClock(
            now: seconds(now),
            options: options,
            isSilent: record.isSilent
        )
        let continues = options.continuing == probe.name
        for key in probe.probeSessions(given: probeSessions, clock).prefix(continues ? 1 : .max)
            .dropFirst(probeSessions.count)
        {
            var probeSession = ProbeSession(number: probeSessions.count, key: key)
            if probe.continuesFamily { adoptSharedFamily(&probeSession) }
            if continues { adoptNewest(&probeSession) }
            probeSessions.append(probeSession)
        }
        groups[0][index].probeSessions = probeSessions
    }

    /// Lets a probe session go on with the family that an earlier probe has left.
    private mutating func adoptSharedFamily(_ probeSession: inout ProbeSession) {
        guard let sharedFamily else { return }
        probeSession.families[0] = sharedFamily.family
        probeSession.results = [sharedFamily.login]
        self.sharedFamily = nil
    }

    /// Lets a probe session go on with the newest tokens that an earlier probe has left, as if a login had
    /// brought them.
    private mutating func adoptNewest(_ probeSession: inout ProbeSession) {
        guard let sharedFamily, let family = sharedFamily.family.newest,
            let issued = record.exchanges.last(where: { exchange in
                ProbeName.sharedFamilyProbes.contains(exchange.probe) && exchange.issued != nil
                    && exchange.action.family == 0 && !exchange.action.hasBadToken
            })
        else { return }
        probeSession.families[0] = family
        probeSession.results = [[issued.asLogin]]
        self.sharedFamily = nil
    }

    private mutating func end(_ probe: any Probe, sequence index: Int, at now: Moment) {
        let probeSessions = groups[0][index].probeSessions ?? []
        record.finish(
            probe.name,
            probeSessions: probeSessions,
            seconds: seconds(now) - groups[0][index].beganAt
        )
        release(probeSessions, of: probe)
        for probeSession in probeSessions { release(probeSession.sockets) }
        let verdicts = probe.verdicts(from: probeSessions, record)
        record.results[probe.name]?.verdicts = verdicts
        if ProbeName.sharedFamilyProbes.contains(probe.name),
            let probeSession = probeSessions.first,
            probeSession.isComplete,
            let family = probeSession.families[0], let login = probeSession.results.first
        {
            sharedFamily = SharedFamily(family: family, login: login)
        }
        groups[0][index].probes.removeFirst()
        groups[0][index].probeSessions = nil
        checkBeginning(probe.name, probeSessions)
    }

    /// A backend that cannot be reached, or that refuses all logins, is not checked further.
    private mutating func checkBeginning(_ name: ProbeName, _ probeSessions: [ProbeSession]) {
        guard name == .reach || name == .login,
            case .failed(let answer)? = probeSessions.first?.phase
        else { return }
        switch answer {
        case .notSent(let detail): fail(.unreachable(detail: detail))
        case .unanswered, .cut, .serverError, .rateLimited, .unreadable, .bareRefusal,
            .challenged, .loginRefused, .notPossible:
            if name == .login { fail(.loginFailed(answer, message: record.lastMessage)) }
        }
    }

    private mutating func send(_ next: Candidate, at now: Moment) -> [CheckEffect] {
        if case .watch(let step, let occasion) = next.step.action {
            watch(
                step,
                after: occasion,
                sequence: next.sequence,
                probeSession: next.probeSession,
                at: now
            )
            return []
        }
        guard !(refusesLogins && next.step.action.isLogin) else {
            groups[0][next.sequence].probeSessions?[next.probeSession].phase = .failed(
                .loginRefused
            )
            return []
        }
        let requests = requests(
            for: next.step,
            of: groups[0][next.sequence].probeSessions?[next.probeSession]
        )
        guard !requests.isEmpty else {
            groups[0][next.sequence].probeSessions?[next.probeSession].phase = .failed(.notPossible)
            return []
        }
        var ids: Set<Int> = []
        let attempt = groups[0][next.sequence].probeSessions?[next.probeSession].attempt ?? 1
        let step = groups[0][next.sequence].probeSessions?[next.probeSession].results.count ?? 0
        groups[0][next.sequence].probeSessions?[next.probeSession].results.append([])
        groups[0][next.sequence].probeSessions?[next.probeSession].retryAt = nil
        groups[0][next.sequence].probeSessions?[next.probeSession].tries += 1
        let effects = requests.map { request in
            lastRequest += 1
            ids.insert(lastRequest)
            pending[lastRequest] = PendingStep(
                sequence: next.sequence,
                probeSession: next.probeSession,
                attempt: attempt,
                step: next.step,
                refresh: request.refresh,
                needsFamily: next.step.action.family,
                place: step
            )
            record.count(next.step.action)
            switch request.message {
            case .login: return CheckEffect.logIn(id: lastRequest)
            case .feed(let feed): return CheckEffect.dial(CheckDial(id: lastRequest, request: feed))
            case .wire(let wire):
                return CheckEffect.send(
                    CheckRequest(
                        id: lastRequest,
                        request: wire,
                        connection: next.step.action.connection,
                        usesNonce: next.step.action != .refreshWithoutNonce,
                        isLeftByChallenges: record.results[.nonce]?.verdicts
                            .contains(.nonce(.leavesToken)) ?? false
                    )
                )
            }
        }
        groups[0][next.sequence].probeSessions?[next.probeSession].phase = .waiting(ids)
        nextSend = now.now.advanced(bySeconds: options.interval)
        return effects
    }
}

extension ProbeName {
    /// The probes that hand their family on to the next.
    static let sharedFamilyProbes: Set<ProbeName> = [.login, .accept, .refresh, .errors]

    /// The probes that are about refresh tokens alone.
    static let refreshProbes: Set<ProbeName> = [
        .refresh, .errors, .reuse, .depth, .untilUsed, .window, .race, .lost, .resource, .nonce,
    ]

    /// The probes whose replays show the policy.
    static let policyProbes: Set<ProbeName> = [.reuse, .depth, .untilUsed, .window]
}

extension CheckAction {
    /// The family whose tokens it sends or brings.
    var family: Int {
        switch self {
        case .login(let family), .refresh(_, let family), .use(_, let family),
            .logout(_, let family):
            family
        case .loginWrong: 1
        case .reach, .warm, .refreshTwice, .refreshUnread, .refreshWith, .refreshFor,
            .refreshWithoutNonce, .useWith, .logoutUnknown, .dial,
            .dialWith, .dialExpired, .watch:
            0
        }
    }

    var isAbandoned: Bool {
        if case .refreshUnread = self { true } else { false }
    }

    var connection: CheckRequest.Connection {
        switch self {
        case .warm, .refreshTwice: .warm
        case .refreshUnread: .abandoned
        case .reach, .login, .loginWrong, .refresh, .refreshWith, .refreshFor,
            .refreshWithoutNonce, .use, .useWith, .logout, .logoutUnknown, .dial, .dialWith,
            .dialExpired, .watch:
            .own
        }
    }
}
