import Basics
import Client
import Model
import Observer
import UI

/// Obtains an access token that no renewal is due for, if a renewal can bring one.
struct TokenOperation: SessionOperation {
    let timeout = 35.0

    let profile: String
    /// Whether a login needs nothing from the user.
    let canLogIn: Bool
    private var hasLoggedIn = false
    private var hasAsked = false
    private var grant: TokenGrant?
    private var failedWrites = 0

    init(profile: String, canLogIn: Bool) {
        self.profile = profile
        self.canLogIn = canLogIn
    }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        case .loginFailed(let failure):
            return .end(.failed(RunEnd.failure(of: failure, profile: profile)))
        case .actionRejected(let rejection):
            return .failed(.notSo, "\(profile): \(CauseText().text(rejection))")
        case .unsaved(let problem):
            failedWrites += 1
            return failedWrites > 1 ? .end(unsaved(problem)) : .wait
        case .saved, .stateChanged, .renewalPlanned:
            return hasAsked ? finish(session) : enter(event, session)
        default: return finish(session)
        }
    }

    private mutating func enter(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep
    {
        switch session.state {
        case .vaultUnavailable(let problem):
            return .failed(.unreachable, "\(profile): \(problem.message)")
        case .signedOut(let reason):
            guard canLogIn, !hasLoggedIn else { return .end(signedOut(reason)) }
            hasLoggedIn = true
            return .send(.logIn)
        case .cold, .signingIn, .signingOut, .renewing: return .wait
        case .fresh:
            if session.isRenewalDue(at: event.moment.now) { return .wait }
        case .retrying, .blocked, .offline, .unknown, .draining: break
        }
        hasLoggedIn = true
        hasAsked = true
        return .awaitToken
    }

    mutating func granted(
        _ result: Result<TokenGrant, WaitFailure>,
        _ session: SessionSnapshot
    ) -> OperationStep {
        switch result {
        case .success(let grant):
            self.grant = grant
            return finish(session)
        case .failure(.signedOut(let reason)): return .end(signedOut(reason))
        case .failure(.vaultUnavailable(let problem)):
            return .failed(.unreachable, "\(profile): \(problem.message)")
        case .failure(.offline), .failure(.timedOut), .failure(.cancelled),
            .failure(.circuitBreakerOpened):
            return .end(noToken(session))
        }
    }

    /// Finishes once the token's pair is known to be stored, since a pair that is lost ends the
    /// session.
    private func finish(_ session: SessionSnapshot) -> OperationStep {
        guard let grant, session.current?.generation == grant.generation,
            session.flags.unsaved == nil
        else { return .wait }
        return .end(.granted(grant))
    }

    private func noToken(_ session: SessionSnapshot) -> OperationEnd {
        let cause = session.state.outlook.map { ": \(FailureText.full($0.failure))" } ?? ""
        return .failed(
            CommandFailure(
                .unreachable,
                "\(profile): there is no usable access token, and no renewal brought one\(cause); "
                    + "the session is kept"
            )
        )
    }

    private func signedOut(_ reason: SignedOutReason) -> OperationEnd {
        let message = reason == .never ? "signed out" : ReasonText.sentence(reason)
        return .failed(
            CommandFailure(.notSo, "\(profile): \(message); run: authtop login \(profile)")
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

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd {
        if let problem = session.flags.unsaved { return unsaved(problem) }
        if let grant { return .granted(grant) }
        return noToken(session)
    }
}
