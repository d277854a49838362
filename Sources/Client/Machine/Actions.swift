import Basics
import Model
import Profiles

/// A caller that waits for the result of an action.
struct ActionCaller: Sendable, Hashable {
    let id: Int
    let action: SessionAction
    /// Why the last answer to a refresh is missing, if it is.
    var lost: RefreshFailure?
}

/// A logout in progress.
struct LogoutProgress: Sendable {
    var report = LogoutReport()
    /// The entry of the outbox that notifies the backend.
    var revocation: String?
}

/// Callers that wait for the result of an action. The code that performs the action calls
/// `finish(_:)`; results that are states are checked after each step.
extension ClientMachine {
    mutating func perform(_ action: SessionAction, for id: Int) {
        callers.append(ActionCaller(id: id, action: action))
        switch action {
        case .wait, .save, .sendOutbox(endingSession: false): break
        case .logIn:
            guard case .signingOut(let scope) = state else { return logIn() }
            finish(.logIn(.signedOut(scope.reason)))
        case .refresh: beginRefresh()
        case .logOut(let scope): beginLogout(scope)
        case .sendOutbox(endingSession: true): if stage.isLive { logOut(.this) }
        }
    }

    private mutating func beginRefresh() {
        switch state {
        case .cold: finish(.refresh(.rejected(.nothingToRenew)))
        case .signingIn: break
        case .signedOut(let reason): finish(.refresh(.signedOut(reason)))
        case .signingOut(let scope): finish(.refresh(.signedOut(scope.reason)))
        case .draining(let reason):
            finish(.refresh(.draining(reason, until: schedule?.usableUntil)))
        case .vaultUnavailable(let problem): finish(.refresh(.vaultUnavailable(problem)))
        case .fresh, .renewing, .retrying, .blocked, .expired, .unknown:
            guard configuration.renewsByLogin || held?.tokens.refresh != nil else {
                return finish(.refresh(.noRefreshToken))
            }
            if !isRenewing { refreshNow() }
        }
    }

    private mutating func beginLogout(_ scope: LogoutScope) {
        switch state {
        case .signingOut: break
        case .signedOut(let reason): finish(.logOut(.signedOut(reason)))
        case .vaultUnavailable(let problem): finish(.logOut(.vaultUnavailable(problem)))
        case .cold, .signingIn, .fresh, .renewing, .retrying, .blocked, .expired, .unknown,
            .draining:
            logOut(scope)
        }
    }

    /// Answers every caller that waits for a result of this kind.
    mutating func finish(_ result: ActionResult) {
        guard !callers.isEmpty else { return }
        let answered = callers.filter { result.answers($0.action) }
        callers.removeAll { result.answers($0.action) }
        for caller in answered { effects.append(.finish(caller: caller.id, result)) }
    }

    /// Reports a failed attempt to renew; one whose answer is missing, or that was refused without
    /// a reason, decides nothing while another attempt follows by itself.
    mutating func finishRefresh(after outlook: RetryOutlook) {
        let failure = outlook.failure
        let isOver = outlook.hold == .use
        for index in callers.indices where callers[index].action == .refresh {
            if failure.kind == .unknown { callers[index].lost = failure }
        }
        switch failure.kind {
        case .unknown, .refused: guard isOver else { return }
        case .clientFault, .heldBack, .notSent, .transient: break
        }
        let waiting = callers.filter { $0.action == .refresh }
        callers.removeAll { $0.action == .refresh }
        for caller in waiting {
            let isLost = caller.lost != nil && failure.kind != .clientFault
            effects.append(
                .finish(caller: caller.id, .refresh(isLost ? .lost(failure) : .failed(failure)))
            )
        }
    }

    /// Ends the wait of one caller, with what is known so far; what it began goes on.
    mutating func cancelAction(_ id: Int) {
        guard let index = callers.firstIndex(where: { $0.id == id }) else { return }
        let caller = callers.remove(at: index)
        let result: ActionResult =
            switch caller.action {
            case .wait: .state(state)
            case .save: .saved(storage.unsaved)
            case .logIn: .logIn(.cancelled)
            case .refresh: .refresh(caller.lost.map { .lost($0) } ?? .cancelled)
            case .logOut: .logOut(logout.map { logoutResult($0.report) } ?? .cancelled)
            case .sendOutbox: .sendOutbox(.cancelled)
            }
        effects.append(.finish(caller: id, result))
    }

    func logoutResult(_ logout: LogoutReport) -> LogoutResult {
        storage.unsaved.map { .unsaved($0, logout) } ?? .ended(logout)
    }

    /// Answers the callers that wait for what is so after this step.
    mutating func finishWaits() {
        guard !callers.isEmpty else { return }
        for settledState in [SessionAction.SettledState.loaded, .attempted, .settled]
        where isAt(settledState) {
            for caller in callers where caller.action == .wait(for: settledState) {
                effects.append(.finish(caller: caller.id, .state(state)))
            }
            callers.removeAll { $0.action == .wait(for: settledState) }
        }
        if storage.unsaved == nil { finish(.saved(nil)) }
        finishOutbox()
    }

    private func isAt(_ settledState: SessionAction.SettledState) -> Bool {
        switch state {
        case .cold: false
        case .signingIn, .signingOut, .renewing: settledState == .loaded
        case .fresh: settledState == .loaded || !isRenewing
        case .blocked, .unknown: settledState != .settled
        case .vaultUnavailable, .signedOut, .retrying, .expired, .draining: true
        }
    }

    private mutating func finishOutbox() {
        switch state {
        case .cold, .signingIn, .signingOut: break
        case .vaultUnavailable(let problem): finish(.sendOutbox(.vaultUnavailable(problem)))
        case .signedOut, .fresh, .renewing, .retrying, .blocked, .expired, .unknown, .draining:
            if outbox.untried.isEmpty { finish(.sendOutbox(.tried(outbox.outcomes))) }
        }
    }

    /// Records what a logout, or an attempt to send it, has come to.
    mutating func revocationTried(_ entry: String?, _ phase: RevocationPhase, status: Int? = nil) {
        outbox.record(phase, of: entry)
        if let entry, logout?.revocation == entry {
            logout?.report.revocation = phase
            logout?.report.status = status
        }
        emit(RevocationChanged(phase))
    }
}

extension ActionResult {
    fileprivate func answers(_ action: SessionAction) -> Bool {
        switch (self, action) {
        case (.state, .wait), (.saved, .save), (.logIn, .logIn), (.refresh, .refresh),
            (.logOut, .logOut), (.sendOutbox, .sendOutbox):
            true
        case (.state, _), (.saved, _), (.logIn, _), (.refresh, _), (.logOut, _), (.sendOutbox, _):
            false
        }
    }
}
