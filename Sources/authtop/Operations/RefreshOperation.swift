import Basics
import Client
import Model
import UI

/// Refreshes the stored session now.
struct RefreshOperation: SessionOperation {
    /// The time within which a request is repeated if its response was lost, in seconds.
    let timeout = 35.0

    let profile: String
    /// Whether the session is renewed by another login, without a refresh token.
    let renewsByLogin: Bool
    let clock: ClockFormatter
    private var hasAsked = false
    /// The outcome, once it is known.
    private var result: String?
    private var lost: RefreshFailure?
    private var failedWrites = 0

    init(profile: String, renewsByLogin: Bool, clock: ClockFormatter) {
        self.profile = profile
        self.renewsByLogin = renewsByLogin
        self.clock = clock
    }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        case .tokensIssued(let pair):
            result = message(pair, session)
            return .wait
        // The new token is due already.
        case .refreshStarted:
            guard let result, session.flags.unsaved == nil else { return .wait }
            return .done(result)
        case .renewalPlanned: return enter(session)
        case .refreshFailed(_, let failure, _, let nextAt):
            // A rejection without a body counts only if it is repeated.
            return failure.kind == .refused && nextAt != nil ? .wait : failed(failure)
        case .loginFailed(let failure):
            return .end(.failed(RunEnd.failure(of: failure, profile: profile)))
        case .draining(let end, let reason): return draining(until: end, reason, event)
        case .actionRejected(let rejection):
            return .failed(.notSo, "\(profile): \(CauseText().text(rejection))")
        case .unsaved(let problem):
            failedWrites += 1
            return failedWrites > 1 ? .end(unsaved(problem)) : .wait
        case .saved, .stateChanged: return enter(session)
        default: return .wait
        }
    }

    private mutating func enter(_ session: SessionSnapshot) -> OperationStep {
        if let outlook = session.state.outlook, outlook.hold == .use {
            // Nothing is retried automatically.
            let failure = outlook.failure
            if failure.kind == .unknown || lost != nil { return .end(stillLost(failure)) }
            return .failed(
                failure.kind == .clientFault ? .badInput : .unreachable,
                "\(profile): not renewed: \(FailureText.full(failure)); the session is kept"
            )
        }
        if case .vaultUnavailable(let problem) = session.state {
            return .failed(.unreachable, "\(profile): \(problem.message)")
        }
        if case .signedOut(let reason) = session.state {
            let state = reason == .never ? "signed out" : ReasonText.sentence(reason)
            return .failed(.notSo, "\(profile): \(state); run: authtop login \(profile)")
        }
        if let result, session.flags.unsaved == nil {
            return session.awaitsPlan ? .wait : .done(result)
        }
        guard case .fresh = session.state, !hasAsked else { return .wait }
        guard renewsByLogin || session.current?.pair.refresh != nil else {
            return .failed(
                .notSo,
                "\(profile): the session has no refresh token, so nothing can renew it; "
                    + "run: authtop login \(profile)"
            )
        }
        hasAsked = true
        return .send(.refreshNow)
    }

    /// Returns a message, or `nil` if the pair is not a new one.
    private func message(_ pair: PairDescription, _ session: SessionSnapshot) -> String? {
        switch pair.origin {
        case .resumed, .imported, .joined: return nil
        case .login: return "renewed by another login"
        case .adopted: return "another process renewed in the meantime; its pair is used"
        case .refresh:
            guard case .renewed(_, let roundTrip, _)? = session.flights.last?.outcome
            else { return "renewed" }
            return "renewed in \(DurationFormatter.fine(roundTrip.inSeconds))\(refreshToken(pair))"
        }
    }

    private func refreshToken(_ pair: PairDescription) -> String {
        switch pair.keptRefresh {
        case .repeated: ", with the same refresh token"
        case .omitted: ", without a refresh token: the old one is kept"
        case .spent: ", without a new refresh token: the old one is spent"
        case nil where pair.refresh == nil: ", without a refresh token"
        case nil: ", with a new refresh token"
        }
    }

    private mutating func failed(_ failure: RefreshFailure) -> OperationStep {
        let message = "\(profile): not renewed: \(FailureText.full(failure))"
        switch failure.kind {
        case .unknown:
            lost = failure
            return .wait
        // The consequence for the session follows in another event.
        case .refused: return .wait
        case .clientFault: return .failed(.badInput, "\(message); the session is kept")
        case .heldBack, .notSent, .transient:
            guard lost == nil else { return .end(stillLost(failure)) }
            return .failed(.unreachable, "\(message); the session is kept")
        }
    }

    private func draining(
        until end: Instant?,
        _ reason: SignedOutReason,
        _ event: SessionEvent
    ) -> OperationStep {
        var message = "\(profile): \(ReasonText.text(reason))"
        if let end {
            let time = clock.when(event.moment.wallTime(at: end), now: event.moment.wall)
            message += "; the access token is valid until \(time)"
        }
        return .failed(.notSo, "\(message); run: authtop login \(profile)")
    }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd {
        if let problem = session.flags.unsaved { return unsaved(problem) }
        if let result { return .done(result) }
        guard let lost else {
            return .failed(CommandFailure(.unreachable, "\(profile): not renewed in time"))
        }
        return stillLost(lost)
    }

    private func stillLost(_ failure: RefreshFailure) -> OperationEnd {
        .failed(
            CommandFailure(
                .unreachable,
                "\(profile): no usable answer to the renewal: \(FailureText.full(failure)); "
                    + "the journal is kept: the next start asks again"
            )
        )
    }

    private func unsaved(_ problem: VaultProblem) -> OperationEnd {
        .failed(
            CommandFailure(
                .unreachable,
                "\(profile): renewed, but the new pair could not be saved and is lost: "
                    + problem.message
            )
        )
    }
}
