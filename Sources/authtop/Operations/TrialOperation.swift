import Basics
import Client
import Model
import Observer
import Profiles
import Synchronization
import UI

extension OperationRun {
    /// Logs in, renews once, uses the token, and logs out again, to compare a profile with its backend.
    func tryProfile() async throws -> String {
        let profile = chosen.name
        let renews = chosen.dialect.hasRefreshToken
        let requests = chosen.dialect.hasProtectedRequest
        let time = environment.time
        // The machine gives the user five minutes for a login.
        let outcome = try await follow(within: chosen.dialect.needsBrowser ? 360 : 60) {
            store throws(CommandFailure) in
            _ = try LoginText.message(of: await store.logIn(), profile)
            var refresh: RefreshResult?
            if renews {
                let limit = time.now + TrialOutcome.answerLimit
                refresh = await time.limited(to: limit) { await store.refresh() }
            }
            let limit = time.now + TrialOutcome.answerLimit
            let request = requests ? await time.limited(to: limit) { await store.request() } : nil
            return (refresh: refresh, request: request, logout: await store.logOut(.this))
        }
        guard let outcome else { return "" }
        let text = TrialOutcome(profile: profile, lastFlight: outcome.session.flights.last)
        if let refresh = outcome.value.refresh { try text.check(refresh) }
        let used = try outcome.value.request.map { ", \(try text.message(of: $0))" } ?? ""
        let renewed = renews ? ", renewed once" : ""
        let logout = try text.message(of: outcome.value.logout)
        return "logged in\(renewed)\(used), and \(logout)"
    }
}

/// The result of a trial, as text.
struct TrialOutcome {
    /// The time that a renewal may be repeated whose answer is missing.
    static let answerLimit = Duration.seconds(10)

    let profile: String
    let lastFlight: FlightRecord?

    /// - Throws: Why the session was not renewed.
    func check(_ refresh: RefreshResult) throws(CommandFailure) {
        switch refresh {
        case .renewed, .adopted, .loggedIn: return
        case .failed(let failure), .lost(let failure): throw notRenewed(failure)
        case .loginFailed(let failure): throw RunEnd.failure(of: failure, profile: profile)
        case .rejected(let rejection): throw notRenewed(.notSo, CauseText().text(rejection))
        case .noRefreshToken: throw notRenewed(.notSo, "there is no refresh token")
        case .draining(let reason, _), .signedOut(let reason):
            guard case .failed(let failure, _, _)? = lastFlight?.outcome else {
                throw notRenewed(.notSo, ReasonText.text(reason))
            }
            throw notRenewed(failure)
        case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
        case .cancelled: throw notRenewed(.unreachable, "not answered in time")
        }
    }

    /// Returns the result of the protected request.
    ///
    /// - Throws: Why it was not answered, or that its token was refused.
    func message(of request: RequestEnd) throws(CommandFailure) -> String {
        switch request {
        case .accepted, .listed: return "used the token"
        // It may be inherited, and be no path of this backend.
        case .inconclusive(let status): return "the protected request was answered \(status)"
        case .rejected(let status): throw notUsed(.notSo, "refused with \(status)")
        case .notSent(let cause): throw notUsed(.unreachable, CauseText().text(cause))
        case .unanswered(let detail): throw notUsed(.unreachable, detail)
        case .noToken: throw notUsed(.unreachable, "there was no token for it in time")
        }
    }

    private func notUsed(_ exit: CommandFailure.Exit, _ text: String) -> CommandFailure {
        CommandFailure(exit, "\(profile): logged in, but the protected request failed: \(text)")
    }

    private func notRenewed(_ failure: RefreshFailure) -> CommandFailure {
        let text = FailureText.full(failure)
        switch failure.kind {
        case .heldBack, .notSent, .unknown, .transient: return notRenewed(.unreachable, text)
        case .clientFault: return notRenewed(.badInput, text)
        case .refused: return notRenewed(.notSo, text)
        }
    }

    private func notRenewed(_ exit: CommandFailure.Exit, _ text: String) -> CommandFailure {
        CommandFailure(exit, "\(profile): logged in, but not renewed: \(text)")
    }

    /// Returns the result of the session at the backend.
    func message(of logout: LogoutResult) throws(CommandFailure) -> String {
        switch logout {
        case .ended(let report), .unsaved(_, let report): return message(of: report.revocation)
        case .signedOut, .rejected: return message(of: nil)
        case .vaultUnavailable, .cancelled:
            throw CommandFailure(.unreachable, "\(profile): not answered in time")
        }
    }

    private func message(of revocation: RevocationPhase?) -> String {
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
}

/// Keeps the last response of each exchange of a trial, in memory only.
final class TrialRecorder: Sendable {
    private let responses = Mutex<[ProfileTrial.TrialStep: WireResponse]>([:])

    var all: [ProfileTrial.TrialStep: WireResponse] { responses.withLock { $0 } }

    func record(_ response: WireResponse, to kind: ProfileTrial.TrialStep) {
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
            recorder.record(response, to: kind)
        }
        return report
    }

    func probe(deadline: Instant) async -> Bool { await base.probe(deadline: deadline) }
}
