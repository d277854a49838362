import Basics
import Client
import Model
import Observer
import Profiles
import Synchronization
import UI

/// Logs in, renews once, and logs out again, to compare a profile with its backend.
struct TrialOperation: SessionOperation {
    private enum Phase {
        case beginning
        case loggingIn
        case renewing
        case loggingOut
    }

    let profile: String
    let renews: Bool
    let needsBrowser: Bool
    private var phase = Phase.beginning
    /// Why the renewal brought nothing.
    private var failure: CommandFailure?
    private var revocation: RevocationPhase?

    init(profile: String, renews: Bool, needsBrowser: Bool) {
        self.profile = profile
        self.renews = renews
        self.needsBrowser = needsBrowser
    }

    /// The machine gives the user five minutes for a sign-in.
    var timeout: Double { needsBrowser ? 360 : 60 }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        case .loginFailed(let failure):
            return .end(.failed(RunEnd.failure(of: failure, profile: profile)))
        case .refreshFailed(_, let failure, _, _) where phase == .renewing:
            self.failure = Self.failure(of: failure, profile: profile)
            return logOut()
        case .actionRejected(let rejection) where phase == .renewing:
            let text = CauseText().text(rejection)
            failure = CommandFailure(.notSo, "\(profile): logged in, but not renewed: \(text)")
            return logOut()
        case .revocation(let phase):
            revocation = phase
            return .wait
        case .stateChanged: return enter(session.state)
        default: return .wait
        }
    }

    private mutating func enter(_ state: SessionState) -> OperationStep {
        switch (phase, state) {
        case (.beginning, .signedOut):
            phase = .loggingIn
            return .send(.logIn)
        case (.loggingIn, .fresh):
            guard renews else { return logOut() }
            phase = .renewing
            return .send(.refreshNow)
        case (.renewing, .fresh): return logOut()
        case (.loggingOut, .signedOut), (.renewing, .signedOut):
            return .end(failure.map { .failed($0) } ?? .done(message))
        default: return .wait
        }
    }

    private mutating func logOut() -> OperationStep {
        phase = .loggingOut
        return .send(.logOut(.this))
    }

    /// What was done, and what became of the session.
    private var message: String {
        "logged in\(renews ? ", renewed once" : ""), and \(end)"
    }

    private var end: String {
        switch revocation {
        case .done: "logged out again: the backend acknowledged"
        case .notOffered, .noRefreshToken, .noAccessToken:
            "erased the tokens: the profile has no logout, so that the session lives on at the "
                + "backend until it expires"
        case .noCapturedValue:
            "erased the tokens: the logout needs a value that no answer has brought, so that the "
                + "session lives on at the backend until it expires"
        case .pending, .anonymous, .notKnown, .expired, nil:
            "erased the tokens: whether the backend has ended the session is not known"
        }
    }

    private static func failure(of failure: RefreshFailure, profile: String) -> CommandFailure {
        let message = "\(profile): logged in, but not renewed: \(FailureText.full(failure))"
        switch failure.kind {
        case .heldBack, .notSent, .unknown, .transient: return CommandFailure(.unreachable, message)
        case .clientFault: return CommandFailure(.badInput, message)
        case .refused: return CommandFailure(.notSo, message)
        }
    }

    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockFormatter)
        -> [String]
    {
        []
    }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd {
        .failed(failure ?? CommandFailure(.unreachable, "\(profile): not answered in time"))
    }
}

/// Keeps the last response of each exchange of a trial, in memory only.
final class TrialRecorder: Sendable {
    private let responses = Mutex<[ProfileTrial.ExchangeKind: WireResponse]>([:])

    var all: [ProfileTrial.ExchangeKind: WireResponse] { responses.withLock { $0 } }

    func note(_ response: WireResponse, to kind: ProfileTrial.ExchangeKind) {
        responses.withLock { $0[kind] = response }
    }
}

/// A transport whose responses are kept for a trial.
struct RecordingTransport: TokenTransport {
    let base: any TokenTransport
    let dialect: Dialect
    let recorder: TrialRecorder

    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        let report = await base.send(request, connection: connection, deadline: deadline)
        if case .answered(let response) = report.outcome,
            let kind = dialect.trialKind(of: request)
        {
            recorder.note(response, to: kind)
        }
        return report
    }

    func probe(deadline: Instant) async -> Bool { await base.probe(deadline: deadline) }
}
