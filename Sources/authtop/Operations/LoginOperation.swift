import Basics
import Client
import Model
import Profiles
import UI

/// Logs in, unless the stored session is alive and can be renewed.
struct LoginOperation: SessionOperation {
    let profile: String
    /// Whether the user has to sign in with a browser, which takes time.
    let needsBrowser: Bool
    private var hasAsked = false
    private var failedWrites = 0
    /// The origin of the held pair.
    private var origin: PairDescription.Origin?
    /// The reason why the new pair could not be stored.
    private var unstored: VaultProblem?
    private var revocation: RevocationPhase?

    init(profile: String, needsBrowser: Bool = false) {
        self.profile = profile
        self.needsBrowser = needsBrowser
    }

    /// The machine gives the user five minutes, and then fails the login.
    var timeout: Double { needsBrowser ? 360 : 35 }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        case .loginFailed(let failure):
            return .end(.failed(RunEnd.failure(of: failure, profile: profile)))
        case .actionRejected(let rejection):
            return .failed(.notSo, "\(profile): \(CauseText().text(rejection))")
        case .tokensIssued(let pair):
            origin = pair.origin
            return .wait
        case .revocation(let phase):
            revocation = phase
            return .wait
        case .unsaved(let problem):
            guard unstored == nil else { return .wait }
            failedWrites += 1
            guard failedWrites > 1 else { return .wait }
            return abandon(problem)
        case .saved, .stateChanged, .renewalPlanned: return enter(event, session)
        default: return .wait
        }
    }

    private mutating func enter(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep
    {
        switch session.state {
        case .vaultUnavailable(let problem):
            return .failed(.unreachable, "\(profile): \(problem.message)")
        case .signedOut, .draining:
            if unstored != nil { return .end(lost) }
            guard !hasAsked else { return .wait }
            hasAsked = true
            return .send(.logIn)
        case .fresh:
            guard session.flags.unsaved == nil, unstored == nil else { return .wait }
            if hasAsked {
                guard !session.awaitsPlan else { return .wait }
                return .done(origin == .adopted ? Self.joined : "logged in")
            }
            guard session.canRenew(at: event.moment.now) else {
                hasAsked = true
                return .send(.logIn)
            }
            if session.isRenewalDue(at: event.moment.now) { return .wait }
            return .done("already signed in")
        case .retrying(let outlook):
            let failure = FailureText.full(outlook.failure)
            return .done("already signed in; a renewal is due and failed: \(failure)")
        case .offline(let outlook):
            return .end(
                .failed(
                    CommandFailure(
                        .unreachable,
                        "\(profile): signed in, but the access token has expired and cannot be renewed "
                            + "now: \(FailureText.full(outlook.failure)); the session is kept"
                    )
                )
            )
        case .cold, .signingIn, .renewing, .blocked, .unknown, .signingOut: return .wait
        }
    }

    private static let joined =
        "already signed in: another process logged in at the same time, and its session is used"

    /// Revokes a pair that cannot be stored, so that its session does not stay open at the backend.
    private mutating func abandon(_ problem: VaultProblem) -> OperationStep {
        unstored = problem
        revocation = nil
        return .send(.logOut(.this))
    }

    /// The outcome for a pair that could not be stored.
    private var lost: OperationEnd {
        let end =
            switch revocation {
            case .done: "its session was ended at the backend again"
            case .notKnown: "the backend does not know it any more"
            case .notOffered, .noRefreshToken, .noAccessToken, .noCapturedValue, .anonymous:
                "the backend cannot be notified, so its session lives there until it expires"
            case .pending, .expired, nil: "the backend could not be asked to end its session"
            }
        let message = unstored.map(\.message) ?? ""
        return .failed(
            CommandFailure(
                .unreachable,
                "\(profile): logged in, but the session could not be saved and is lost: \(message); "
                    + end
            )
        )
    }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd {
        if unstored != nil { return lost }
        if let problem = session.flags.unsaved {
            return .failed(
                CommandFailure(
                    .unreachable,
                    "\(profile): logged in, but the session could not be saved and is lost: "
                        + problem.message
                )
            )
        }
        if session.state.isLive {
            return .done("already signed in; the answer to a renewal is still missing")
        }
        return .failed(CommandFailure(.unreachable, "\(profile): not logged in in time"))
    }
}
