import Basics
import Client
import Model
import Profiles
import UI

/// Ends the stored session, locally at once, and at the backend if it can be notified.
struct LogoutOperation: SessionOperation {
    let timeout = 20.0

    let profile: String
    let scope: LogoutScope
    private var hasAsked = false
    private var hasBegun = false
    private var revocation: RevocationPhase?
    /// The status of the backend's last response.
    private var answer: Int?
    private var erasure: Duration?
    /// The reason why the record could not be replaced.
    private var unkept: VaultProblem?

    init(profile: String, scope: LogoutScope) {
        self.profile = profile
        self.scope = scope
    }

    /// A session that is being ended is not refreshed first.
    var beginning: [SessionInput] { [.setPaused(.timer)] }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        // A logout that was pending before may be sent at the same time.
        case .revocation(let phase): if hasBegun { revocation = phase }
        case .erased(let duration): erasure = duration
        case .request(let record): if record.purpose == .logout { answer = record.status }
        case .actionRejected(let rejection):
            // Without a refresh token, a later attempt would not help.
            let exit: CommandFailure.Exit =
                session.current?.pair.refresh == nil ? .notSo : .unreachable
            let text = CauseText().text(rejection)
            return .failed(exit, "\(profile): \(text); the session is kept")
        case .unsaved(let problem):
            guard erasure != nil else { return .end(unsaved(problem)) }
            unkept = problem
        case .stateChanged: return enter(session.state)
        default: break
        }
        return .wait
    }

    private mutating func enter(_ state: SessionState) -> OperationStep {
        switch state {
        case .vaultUnavailable(let problem):
            return .failed(.unreachable, "\(profile): \(problem.message)")
        case .signingOut:
            hasBegun = true
            return .wait
        // Whether the session ended at the backend is not known.
        case .signedOut(.user) where revocation == .notKnown,
            .signedOut(.everywhere) where revocation == .notKnown:
            return .failed(.notSo, "\(profile): \(message)")
        case .signedOut(.user), .signedOut(.everywhere): return .done(message)
        case .signedOut(let reason):
            let message = reason == .never ? "signed out" : ReasonText.sentence(reason)
            return .failed(.notSo, "\(profile): \(message)")
        case .fresh, .renewing, .retrying, .blocked, .offline, .unknown, .draining:
            guard !hasAsked else { return .wait }
            hasAsked = true
            return .send(.logOut(scope))
        case .cold, .signingIn: return .wait
        }
    }

    private var message: String {
        let time = erasure.map { " in \(DurationFormatter.fine($0.inSeconds))" } ?? ""
        let here = scope == .everywhere ? "signed out everywhere" : "signed out here\(time)"
        switch revocation {
        case .done: return "\(here); the backend acknowledged"
        case .notKnown:
            let message = "the backend answered \(answer ?? 0): it does not know the token any more"
            guard scope == .everywhere else { return "\(here); \(message)" }
            return
                "signed out here\(time); \(message), so whether other sessions ended is not known"
        case .anonymous:
            return "\(here); the backend acknowledged, but the request identifies no session: it "
                + "cannot know which one ended"
        case .pending, nil:
            if let unkept {
                return
                    "signed out here\(time); the backend could not be notified, and will not be: "
                    + unkept.message
            }
            let failed = answer.map { "the backend answered \($0), so " } ?? ""
            return
                "signed out here\(time); \(failed)revocation pending: sent again at the next start"
        case .noRefreshToken:
            return
                "signed out here\(time); the backend cannot be notified: its logout needs the refresh "
                + "token, which is gone"
        case .noAccessToken:
            return
                "signed out here\(time); the backend cannot be notified: its logout needs a live access "
                + "token, which has expired"
        case .noCapturedValue:
            return
                "signed out here\(time); the backend cannot be notified: its logout sends a captured "
                + "value, which no answer has brought"
        case .expired: return "\(here); the token had expired, so there was nothing to revoke"
        case .notOffered: return "\(here); the backend has no endpoint for it"
        }
    }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd {
        guard hasBegun else {
            let message = "\(profile): not signed out in time; the session is kept"
            return .failed(CommandFailure(.unreachable, message))
        }
        return .done(message)
    }

    private func unsaved(_ problem: VaultProblem) -> OperationEnd {
        .failed(
            CommandFailure(
                .unreachable,
                "\(profile): the stored session could not be erased: \(problem.message)"
            )
        )
    }
}
