import Basics
import Client
import Model
import Profiles
import UI

extension OperationRun {
    /// The longest time that a renewal before a logout may take, in seconds.
    private static let renewalLimit = 8.0

    /// Ends the stored session, locally at once, and at the backend if it can be notified.
    ///
    /// Where the backend would not accept the expired access token, the session is renewed first, if that
    /// takes no longer than a few seconds: it would live on there.
    ///
    /// - Parameters:
    ///   - scope: The sessions to end.
    ///   - browser: The way to end the provider's own session afterwards, or `nil` to leave it.
    /// - Returns: The result as text, or `nil` if the output was closed.
    /// - Throws: `CommandFailure` if the session is not ended, or it is not known.
    func logOut(
        _ scope: LogoutScope,
        thenIn browser: BrowserOptions? = nil
    ) async throws -> Outcome<String>? {
        let time = environment.time
        let outcome = try await follow(within: 20, isPaused: true) { store in
            await store.state(.loaded)
            if await store.needsRenewal(before: scope) {
                let limit = time.now.advanced(bySeconds: Self.renewalLimit)
                _ = await time.limited(to: limit) { await store.refresh() }
            }
            let idToken = await store.pair?.idToken
            return (idToken: idToken, result: await store.logOut(scope))
        }
        guard let outcome else { return nil }
        var further = ""
        if case .ended = outcome.value.result, let browser, chosen.dialect.endsProviderSession {
            further = "; \(await endProviderSession(outcome.value.idToken, in: browser))"
        }
        let text = LogoutText(profile: chosen.name, scope: scope)
        let hasRefreshToken = outcome.session.current?.pair.refresh != nil
        let message = try text.message(of: outcome.value.result, hasRefreshToken: hasRefreshToken)
        return Outcome(value: message + further, session: outcome.session)
    }
}

/// The result of a logout, as text.
struct LogoutText {
    let profile: String
    let scope: LogoutScope

    func message(
        of result: LogoutResult,
        hasRefreshToken: Bool
    ) throws(CommandFailure) -> String {
        switch result {
        case .ended(let report):
            // Whether the session ended at the backend is not known.
            guard report.revocation == .notKnown else { return message(of: report) }
            throw CommandFailure(.notSo, "\(profile): \(message(of: report))")
        case .unsaved(let problem, _):
            throw CommandFailure(
                .unreachable,
                "\(profile): the stored session could not be erased: \(problem.message)"
            )
        case .rejected(let rejection):
            // Without a refresh token, a later attempt would not help.
            throw CommandFailure(
                hasRefreshToken ? .unreachable : .notSo,
                "\(profile): \(CauseText().text(rejection)); you stay logged in"
            )
        case .signedOut(let reason):
            let message =
                reason == .never
                ? "no session is stored, so there is nothing to end"
                : "there is no session to end: \(ReasonText.sentence(reason))"
            throw CommandFailure(.notSo, "\(profile): \(message)")
        case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
        case .cancelled:
            throw CommandFailure(
                .unreachable,
                "\(profile): not logged out in time; you stay logged in"
            )
        }
    }

    private func message(of report: LogoutReport) -> String {
        let time =
            report.erasedAfter.map { " in \(DurationFormatter.fine($0.inSeconds))" } ?? ""
        let local = "logged out here\(time)"
        let here = scope == .everywhere ? "logged out everywhere" : local
        switch report.revocation {
        case .done: return "\(here); the backend acknowledged"
        case .notKnown:
            let reason =
                report.status == 404
                ? "it does not know the token, or has no logout at this path"
                : "it does not accept the token, which may have ended before"
            let answer = "the backend answered \(report.status ?? 0): \(reason)"
            guard scope == .everywhere else { return "\(here); \(answer)" }
            return "\(local); \(answer), so whether other sessions ended is not known"
        case .anonymous:
            return "\(here); the backend acknowledged, but the request identifies no session: it "
                + "cannot know which one ended"
        case .pending, nil:
            if let problem = report.unkept {
                return "\(local); the backend could not be notified, and will not be: "
                    + problem.message
            }
            let failed = report.status.map { "the backend answered \($0), so " } ?? ""
            return "\(local); \(failed)revocation pending: sent again at the next start"
        case .noRefreshToken:
            return
                "\(local); the backend cannot be notified: its logout needs the refresh token, "
                + "which is gone"
        case .noAccessToken:
            return
                "\(local); the backend cannot be notified: its logout needs a live access token, "
                + "which has expired"
        case .noCapturedValue:
            return
                "\(local); the backend cannot be notified: its logout sends a captured value, "
                + "which no answer has brought"
        case .expired: return "\(here); the token had expired, so there was nothing to revoke"
        case .notOffered:
            return
                "\(here); the profile has no logout at the backend, where the session lives on until "
                + "it expires"
        }
    }
}
