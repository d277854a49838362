import Dashboard
import Lifecycle
import Timekeeping

/// Renews the stored session now.
struct RefreshAct: SessionAct {
    /// As long as an answer that was lost is asked for again close together.
    static let patience = 35.0

    let profile: String
    /// Whether another login takes the place of a refresh token.
    let renewsByLogin: Bool
    let clock: ClockWords
    private var hasAsked = false
    /// What became of it, once it is there.
    private var result: String?
    private var lost: RefreshFailure?
    private var failedWrites = 0

    init(profile: String, renewsByLogin: Bool, clock: ClockWords) {
        self.profile = profile
        self.renewsByLogin = renewsByLogin
        self.clock = clock
    }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> ActStep {
        switch event.kind {
        case .tokensIssued(let pair):
            result = words(pair.origin, session)
            return .wait
        case .refreshFailed(_, let failure, _, let nextAt):
            // A refusal without words counts when it comes again.
            return failure.kind == .refused && nextAt != nil ? .wait : failed(failure)
        case .loginFailed(let failure):
            return .end(.failed(RunEnd.failure(of: failure, profile: profile)))
        case .draining(let end, let reason): return draining(until: end, reason, event)
        case .refusedAct(let words): return .failed(.notSo, "\(profile): \(words)")
        case .unsaved(let problem):
            failedWrites += 1
            return failedWrites > 1 ? .end(unsaved(problem)) : .wait
        case .saved, .stateChanged: return enter(session)
        default: return .wait
        }
    }

    private mutating func enter(_ session: SessionSnapshot) -> ActStep {
        if let outlook = session.state.outlook, outlook.hold == .use {
            // Nothing is tried again by itself.
            let failure = outlook.failure
            if failure.kind == .unknown || lost != nil { return .end(stillLost(failure)) }
            return .failed(
                failure.kind == .clientFault ? .badInput : .unreachable,
                "\(profile): not renewed: \(FailureWords.full(failure)); the session is kept"
            )
        }
        if case .vaultUnavailable(let problem) = session.state {
            return .failed(.unreachable, "\(profile): \(problem.words)")
        }
        if case .signedOut(let reason) = session.state {
            let state = reason == .never ? "nobody is signed in" : ReasonWords.sentence(reason)
            return .failed(.notSo, "\(profile): \(state); run: authtop login \(profile)")
        }
        if let result, session.flags.unsaved == nil { return .done(result) }
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

    /// Nil for a pair that is no news.
    private func words(
        _ origin: PairDescription.Origin,
        _ session: SessionSnapshot
    ) -> String? {
        switch origin {
        case .resumed, .imported: return nil
        case .login: return "renewed by another login"
        case .adopted: return "another program renewed meanwhile; its pair was taken over"
        case .refresh:
            guard case .renewed(let rotated, let roundTrip, _)? = session.flights.last?.outcome
            else { return "renewed" }
            let token = rotated ? "a new refresh token" : "the same refresh token"
            return "renewed in \(DurationWords.fine(roundTrip.inSeconds)), with \(token)"
        }
    }

    private mutating func failed(_ failure: RefreshFailure) -> ActStep {
        let words = "\(profile): not renewed: \(FailureWords.full(failure))"
        switch failure.kind {
        case .unknown:
            lost = failure
            return .wait
        // What it means for the session follows.
        case .refused: return .wait
        case .clientFault: return .failed(.badInput, "\(words); the session is kept")
        case .notSent, .transient:
            guard lost == nil else { return .end(stillLost(failure)) }
            return .failed(.unreachable, "\(words); the session is kept")
        }
    }

    private func draining(
        until end: Instant?,
        _ reason: SignedOutReason,
        _ event: SessionEvent
    ) -> ActStep {
        var words = "\(profile): \(ReasonWords.words(reason))"
        if let end {
            let time = clock.when(event.moment.wallTime(at: end), now: event.moment.wall)
            words += "; the access token is good until \(time)"
        }
        return .failed(.notSo, "\(words); run: authtop login \(profile)")
    }

    func outOfTime(_ session: SessionSnapshot) -> ActEnd {
        if let problem = session.flags.unsaved { return unsaved(problem) }
        guard let lost else {
            return .failed(CommandFailure(.unreachable, "\(profile): not renewed in time"))
        }
        return stillLost(lost)
    }

    private func stillLost(_ failure: RefreshFailure) -> ActEnd {
        .failed(
            CommandFailure(
                .unreachable,
                "\(profile): the answer to the renewal is missing: \(FailureWords.full(failure)); "
                    + "the journal is kept: the next start asks again"
            )
        )
    }

    private func unsaved(_ problem: VaultProblem) -> ActEnd {
        .failed(
            CommandFailure(
                .unreachable,
                "\(profile): renewed, but the new pair could not be saved and is lost: "
                    + problem.words
            )
        )
    }
}
