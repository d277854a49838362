import Basics
import Model
import Profiles

/// The part of a login that needs the user's browser: it precedes the flight lock, so that no other
/// process waits for the user.
extension ClientMachine {
    /// The time that the user may take to log in, in seconds.
    static let authorizationLimit = 300.0

    mutating func authorize() {
        guard let attempt = login else { return }
        let operation = begin(.authorization(attempt.epoch))
        changeLogin { $0.authorization = operation }
        timers[.authorization] = clock.now.advanced(bySeconds: Self.authorizationLimit)
        effects.append(.authorize(operation))
    }

    /// The server has the parameters of the login, or the login ends.
    mutating func authorizationPushed(
        _ id: OperationID,
        _ exchange: CompletedExchange<PushedResponse>
    ) {
        guard login?.authorization == id else { return }
        logExchange(exchange, id: nextRecord(), purpose: .login, why: .login)
        let failure: RefreshFailure
        switch exchange.outcome {
        case .answered(.accepted): return
        case .answered(.refused(let error, let description)):
            failure = RefreshFailure(
                .authorization(.refused(error: error, description: description))
            )
        case .answered(.failed(let response)): failure = RefreshFailure(response)
        case .notSent(let cause): failure = RefreshFailure(.unsent(cause))
        case .unanswered(let detail): failure = RefreshFailure(.unanswered(detail: detail))
        }
        stopAuthorization()
        loginFailed(failure)
    }

    /// The URL of the login is known, and redirects are received.
    mutating func authorizationPrompted(_ id: OperationID, url: String, isOpened: Bool) {
        guard login?.authorization == id, let expiresAt = timers[.authorization] else { return }
        let prompt = AuthorizationPrompt(url: url, isOpened: isOpened, expiresAt: expiresAt)
        emit(prompt)
    }

    /// A redirect came that does not belong to this login.
    mutating func authorizationStrayed(_ id: OperationID, _ problem: RedirectProblem) {
        guard login?.authorization == id else { return }
        changeLogin { $0.lastRedirectProblem = problem }
    }

    mutating func authorizationEnded(
        _ id: OperationID,
        _ result: Result<AuthorizationGrant, RefreshFailure>
    ) {
        guard case .authorization? = operations.end(id), login?.authorization == id else { return }
        timers[.authorization] = nil
        changeLogin { $0.authorization = nil }
        switch result {
        case .success(let grant):
            changeLogin { $0.grant = grant }
            emit(AuthorizationGranted())
            lockForLogin()
        case .failure(let failure): loginFailed(failure)
        }
    }

    /// The time to log in is over.
    mutating func authorizationTimedOut() {
        let problem = login?.lastRedirectProblem
        abandonAuthorization(login?.device == nil ? .timedOut(problem) : .codeExpired)
    }

    /// Cancels the login that waits for the user, or for the lock that another process holds.
    mutating func cancelLogIn() {
        guard isLoginWaitingForOthers else { return abandonAuthorization(.cancelled) }
        stopAuthorization()
        loginFailed(RefreshFailure(.authorization(.cancelled)))
    }

    /// Whether the user's login has sent no credentials yet, because it does not have the lock.
    private var isLoginWaitingForOthers: Bool {
        guard let login, !login.isRenewal else { return false }
        return login.lock.map(operations.isPending) ?? isLoginWaitingForLock
    }

    private mutating func abandonAuthorization(_ failure: AuthorizationFailure) {
        guard login?.authorization != nil || login?.device != nil else { return }
        // The answer to a request that is in progress may contain tokens.
        if login?.device?.isPolling == true {
            return changeLogin { $0.device?.ending = failure }
        }
        stopAuthorization()
        loginFailed(RefreshFailure(.authorization(failure)))
    }

    /// Stops receiving redirects, or asking for the tokens of a code.
    mutating func stopAuthorization() {
        if login?.device != nil {
            timers.clear(.authorization, .devicePoll)
            changeLogin { $0.device = nil }
        }
        guard let id = login?.authorization else { return }
        timers[.authorization] = nil
        changeLogin { $0.authorization = nil }
        _ = operations.end(id)
        effects.append(.cancelAuthorization(id))
    }
}
