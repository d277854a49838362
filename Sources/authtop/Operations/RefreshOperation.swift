import Basics
import Client
import Model
import UI

extension OperationRun {
    /// Renews the stored session now.
    func refresh() async throws -> Outcome<String>? {
        let profile = chosen.name
        // Within this time a request is repeated if its response was lost.
        let outcome = try await follow(within: 35) { store throws(CommandFailure) in
            let result = await store.refresh()
            if case .signedOut(let reason) = result {
                return RefreshResult.signedOut(await store.reason(reason))
            }
            guard result.isRenewal, let problem = await store.saved() else { return result }
            throw .unsaved(problem, profile)
        }
        guard let outcome else { return nil }
        let text = RefreshText(profile: profile, clock: clock, moment: environment.time.moment)
        let session = outcome.session
        let message = try text.message(
            of: outcome.value,
            session.current?.pair,
            refusedWith: (session.refusal ?? session.lastEnding?.refusal)?.message
        )
        return Outcome(value: message, session: session)
    }
}

extension RefreshResult {
    fileprivate var isRenewal: Bool {
        switch self {
        case .renewed, .adopted, .loggedIn: true
        case .failed, .lost, .loginFailed, .rejected, .noRefreshToken, .draining, .signedOut,
            .vaultUnavailable, .cancelled:
            false
        }
    }
}

/// The result of a refresh, as text.
struct RefreshText {
    let profile: String
    let clock: ClockFormatter
    let moment: Moment

    /// - Parameters:
    ///   - result: The result.
    ///   - pair: The pair in use, or `nil` if none is.
    ///   - words: What the backend said when it refused the refresh token, or `nil` if it did not.
    /// - Returns: The message about a new pair.
    /// - Throws: Why there is none.
    func message(
        of result: RefreshResult,
        _ pair: PairDescription?,
        refusedWith words: String? = nil
    ) throws(CommandFailure) -> String {
        switch result {
        case .renewed(nil): return "renewed"
        case .renewed(let roundTrip?):
            return "renewed in \(DurationFormatter.fine(roundTrip.inSeconds))\(refreshToken(pair))"
        case .adopted: return "another process renewed in the meantime; its pair is used"
        case .loggedIn: return "renewed by another login"
        case .failed(let failure):
            throw CommandFailure(
                failure.kind == .clientFault ? .badInput : .unreachable,
                "\(profile): not renewed: \(FailureText.full(failure)); you stay logged in"
            )
        case .lost(let failure):
            throw CommandFailure(
                .unreachable,
                "\(profile): renewal answer lost or not usable: \(FailureText.full(failure)); "
                    + "it may have renewed: the next command asks again with the same token"
            )
        case .loginFailed(let failure): throw RunEnd.failure(of: failure, profile: profile)
        case .rejected(let rejection): throw .rejected(rejection, profile)
        case .noRefreshToken:
            throw CommandFailure(
                .notSo,
                "\(profile): the session has no refresh token, so nothing can renew it",
                run: ["login", profile]
            )
        case .draining(let reason, let end): throw draining(until: end, reason, words)
        case .signedOut(let reason): throw .signedOut(reason, saying: words, profile)
        case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
        case .cancelled: throw CommandFailure(.unreachable, "\(profile): not renewed in time")
        }
    }

    private func refreshToken(_ pair: PairDescription?) -> String {
        switch pair?.keptRefresh {
        case .repeated: ", with the same refresh token"
        case .omitted: ", without a refresh token: the old one is kept"
        case .spent: ", without a new refresh token: the old one is spent"
        case nil where pair?.refresh == nil: ", without a refresh token"
        case nil: ", with a new refresh token"
        }
    }

    private func draining(
        until end: Instant?,
        _ reason: SignedOutReason,
        _ words: String?
    ) -> CommandFailure {
        let said = words.map { ": \(RefusalText.quoted($0))" } ?? ""
        var message = "\(profile): \(ReasonText.text(reason))\(said)"
        if let end {
            let time = clock.when(moment.wallTime(at: end), now: moment.wall)
            message += "; the access token is valid until \(time)"
        }
        return CommandFailure(.notSo, message, run: ["login", profile])
    }
}
