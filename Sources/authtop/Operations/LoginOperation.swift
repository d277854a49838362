import Client
import Model
import Profiles
import UI

extension OperationRun {
    /// Logs in, unless the stored session is alive and can be renewed, and no other login takes its
    /// place.
    func logIn() async throws -> Outcome<String>? {
        let profile = chosen.name
        // The machine gives the user five minutes, and then fails the login.
        return try await follow(within: chosen.dialect.needsBrowser ? 360 : 35) {
            store throws(CommandFailure) in
            let state = await store.state(.settled)
            let canRenew = await store.canRenew
            var isReplaced = false
            if otherLogin == nil {
                if let alive = try LoginText.alive(state, canRenew: canRenew, profile) {
                    return alive
                }
            } else {
                isReplaced = (try? LoginText.alive(state, canRenew: canRenew, profile)) != nil
            }
            let result = await store.logIn()
            let message =
                try LoginText.message(of: result, profile)
                + (isReplaced ? "; the session before is not ended at the backend" : "")
            if let problem = await store.saved() {
                throw LoginText.lost(problem, await store.abandonLogin(), profile)
            }
            // A renewal of a short-lived token that has begun is not interrupted.
            await store.state(.attempted)
            return message
        }
    }
}

extension SessionStore {
    /// Revokes a pair that cannot be stored, so that its session does not stay open at the backend.
    ///
    /// - Returns: The result so far, or `nil` if there was no time to begin.
    fileprivate func abandonLogin() async -> LogoutReport? {
        guard !Task.isCancelled else { return nil }
        switch await logOut(.this) {
        case .ended(let report), .unsaved(_, let report): return report
        case .rejected, .signedOut, .vaultUnavailable, .cancelled: return LogoutReport()
        }
    }
}

/// The result of a login, as text.
enum LoginText {
    /// Returns a message about a session that is kept, or `nil` if a login may take its place.
    static func alive(
        _ state: SessionState,
        canRenew: Bool,
        _ profile: String
    ) throws(CommandFailure) -> String? {
        switch state {
        case .signedOut, .draining: return nil
        case .fresh: return canRenew ? "already logged in" : nil
        case .retrying(let outlook):
            let failure = FailureText.full(outlook.failure)
            return "already logged in; a renewal is due and failed: \(failure)"
        case .renewing, .blocked, .unknown:
            return "already logged in; the answer to a renewal is still missing"
        // It cannot be renewed, and the login registers another client.
        case .expired(let outlook) where outlook.failure.isOfForgottenClient: return nil
        case .expired(let outlook):
            throw CommandFailure(
                .unreachable,
                "\(profile): logged in, but the access token has expired and cannot be renewed "
                    + "now: \(FailureText.full(outlook.failure)); you stay logged in"
            )
        case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
        case .cold, .signingIn, .signingOut: throw notInTime(profile)
        }
    }

    static func message(
        of result: LoginResult,
        _ profile: String
    ) throws(CommandFailure) -> String {
        switch result {
        case .loggedIn: return "logged in"
        case .adopted:
            return
                "already logged in: another process logged in at the same time, and its session is "
                + "used"
        case .failed(let failure): throw RunEnd.failure(of: failure, profile: profile)
        case .rejected(let rejection): throw .rejected(rejection, profile)
        case .signedOut(let reason): throw .signedOut(reason, profile)
        case .cancelled: throw notInTime(profile)
        }
    }

    private static func notInTime(_ profile: String) -> CommandFailure {
        CommandFailure(.unreachable, "\(profile): not logged in in time")
    }

    /// Returns the failure for a pair that could not be stored; the logout is `nil` if there was no
    /// time for one.
    static func lost(
        _ problem: VaultProblem,
        _ logout: LogoutReport?,
        _ profile: String
    ) -> CommandFailure {
        let message =
            "\(profile): logged in, but the session could not be saved and is lost: "
            + problem.message
        guard let logout else { return CommandFailure(.unreachable, message) }
        let end =
            switch logout.revocation {
            case .done: "its session was ended at the backend again"
            case .notKnown: "the backend does not accept its token, which may have ended before"
            case .notOffered, .noRefreshToken, .noAccessToken, .noCapturedValue, .anonymous:
                "the backend cannot be notified, so its session lives there until it expires"
            case .pending, .expired, nil: "the backend could not be asked to end its session"
            }
        return CommandFailure(.unreachable, "\(message); \(end)")
    }
}
