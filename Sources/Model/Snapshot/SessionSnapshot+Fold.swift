import Basics

extension SessionSnapshot {
    package init(folding events: some Sequence<SessionEvent>) {
        self.init()
        for event in events { apply(event) }
    }

    /// Takes one event in; events come in the order in which they happened.
    package mutating func apply(_ event: SessionEvent) {
        if firstEventAt == nil { firstEventAt = event.moment }
        profile = event.profile
        login = event.login
        if event.generation > 0 { generation = event.generation }
        statistics.apply(event)
        history.note(event)
        switch event.kind {
        case .request(let record): log(record, of: event.session, at: event.moment)
        case .refreshStarted(let flight, let cause, let request):
            start(FlightRecord(number: flight, cause: cause, startedAt: event.moment))
            if let request { logSent(request, of: event.session) }
        default: apply(event.kind, at: event.moment)
        }
    }

    private mutating func apply(_ kind: SessionEvent.Kind, at moment: Moment) {
        switch kind {
        case .capabilities(let capabilities): self.capabilities = capabilities
        case .loginStarted: beginLogin()
        case .authorizationRequested(let prompt): authorization = prompt
        case .authorizationGranted: authorization = nil
        case .loginFailed(let failure):
            authorization = nil
            loginFailure = failure
        case .tokensIssued(let pair):
            // Another process may have signed in meanwhile.
            authorization = nil
            hold(pair, at: moment)
        case .capturesChanged(let captures): hold(captures)
        case .stateChanged(_, let state, _): enter(state, at: moment)
        case .refreshSucceeded(let flight, let roundTrip, let leadLeft, let rotated):
            end(
                flight,
                .renewed(rotated: rotated, roundTrip: roundTrip, leadLeft: leadLeft)
            )
        case .refreshFailed(let flight, let failure, let attempt, let nextAt):
            end(flight, .failed(failure, attempt: attempt, nextAt: nextAt))
        case .renewalPlanned(let plan): renewalPlan = plan
        case .userChanged(let users): noteUserChange(users)
        case .tokenAwaited(let since): usersWaitSince = since
        case .skew(let offset): serverOffset = offset
        case .probe(let reached): reachability.note(probeReached: reached, at: moment)
        case .noProgress: problems.hasNoProgress = true
        case .protocolError(let failure): problems.protocolError = failure
        case .unsaved(let problem): flags.unsaved = problem
        case .saved: flags.unsaved = nil
        case .circuitBreakerOpened(let until): flags.breakerOpenUntil = until
        case .paused(let extent, let cause): flags.pauses[cause] = extent
        case .resumed(let cause): flags.pauses[cause] = nil
        case .refreshTokenRefused(let evidence): refusal = evidence
        case .draining(let endsAt, let reason): drain(until: endsAt, reason)
        case .signedOut(let reason): end(reason, at: moment)
        case .endedBefore(let reason, let at, let refusal):
            lastEnding = SessionEnding(reason: reason, at: at, refusal: refusal)
        case .revocation(let phase): problems.revocation = phase
        case .sessions(let news): activeSessions.apply(news, at: moment)
        case .secondOpinion(let introspection): introspections.note(introspection, at: moment)
        case .feed(let event): applyFeed(event, at: moment)
        case .experimentStarted(let experiment): experiments.begin(experiment)
        case .experimentEnded(let result): experiments.end(result)
        case .clockShifted(let seconds): clockShift = seconds
        case .faultsChanged(let change): faults = change.active
        case .observed(let event): observed.apply(event, at: moment)
        case .dropped(let count): problems.droppedEvents += count
        default: break
        }
    }

    private mutating func enter(_ state: SessionState, at moment: Moment) {
        if self.state != state { stateSince = moment }
        if state != .signingIn { authorization = nil }
        self.state = state
        switch state {
        case .signedOut(let reason): end(reason, at: moment)
        case .draining(let reason): drain(until: drainsAt ?? usableUntil, reason)
        case .signingOut: release(at: moment)
        case .cold, .vaultUnavailable, .signingIn, .fresh, .renewing, .retrying, .blocked,
            .offline, .unknown:
            drainsAt = nil
        }
    }

    private mutating func drain(until instant: Instant?, _ reason: SignedOutReason) {
        drainsAt = instant
        drainReason = reason
        markEnding(reason)
    }

    private mutating func applyFeed(_ event: FeedEvent, at moment: Moment) {
        feed.apply(event, at: moment)
        feed.noteSockets(event, login: login, at: moment)
        guard case .opened(let socket, let generation, _) = event,
            let number = generations.last(where: {
                $0.login == login && $0.generation == generation
            })?.number
        else { return }
        generations.change(number) { record in
            record.sockets = record.sockets.suffix(GenerationRecord.socketLimit - 1) + [socket]
        }
    }
}
