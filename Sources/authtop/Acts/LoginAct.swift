import Dashboard
import Lifecycle
import Timekeeping

/// Logs in, unless a session is stored that is alive.
struct LoginAct: SessionAct {
    static let patience = 35.0

    let profile: String
    private var hasAsked = false
    private var failedWrites = 0

    init(profile: String) {
        self.profile = profile
    }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> ActStep {
        switch event.kind {
        case .loginFailed(let failure):
            return .end(.failed(RunEnd.failure(of: failure, profile: profile)))
        case .unsaved(let problem):
            failedWrites += 1
            return failedWrites > 1 ? .end(unsaved(problem)) : .wait
        case .saved, .stateChanged: return enter(event, session)
        default: return .wait
        }
    }

    private mutating func enter(_ event: SessionEvent, _ session: SessionSnapshot) -> ActStep {
        switch session.state {
        case .vaultUnavailable(let problem):
            return .failed(.unreachable, "\(profile): \(problem.words)")
        case .signedOut, .draining:
            guard !hasAsked else { return .wait }
            hasAsked = true
            return .send(.logIn)
        case .fresh:
            guard session.flags.unsaved == nil else { return .wait }
            if hasAsked { return .done("logged in") }
            // A renewal that is due already has begun: it is not left half done.
            if let soft = session.schedule?.soft, soft <= event.moment.now { return .wait }
            return .done("signed in already, so nobody logged in")
        case .retrying(let outlook):
            let failure = FailureWords.full(outlook.failure)
            return .done("signed in already; a renewal is due and failed: \(failure)")
        case .offline(let outlook):
            return .end(
                .failed(
                    CommandFailure(
                        .unreachable,
                        "\(profile): signed in, but the access token is over and cannot be renewed "
                            + "now: \(FailureWords.full(outlook.failure)); the session is kept"
                    )
                )
            )
        case .cold, .signingIn, .renewing, .blocked, .unknown, .signingOut: return .wait
        }
    }

    func outOfTime(_ session: SessionSnapshot) -> ActEnd {
        if let problem = session.flags.unsaved { return unsaved(problem) }
        if session.state.isLive {
            return .done("signed in already; the answer to a renewal is still missing")
        }
        return .failed(CommandFailure(.unreachable, "\(profile): not logged in in time"))
    }

    private func unsaved(_ problem: VaultProblem) -> ActEnd {
        .failed(
            CommandFailure(
                .unreachable,
                "\(profile): logged in, but the session could not be saved and is lost: "
                    + problem.words
            )
        )
    }
}
