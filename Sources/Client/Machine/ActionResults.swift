package import Basics
package import Model
package import Profiles

/// An action of the user whose result a caller waits for.
package enum SessionAction: Sendable, Hashable {
    /// Wait for a state.
    case wait(for: SettledState)
    /// Wait until what is held has been written, or two attempts have failed.
    case save
    case logIn
    case refresh
    case logOut(LogoutScope)
    /// Try each pending logout once, after adding one of this session if it is to end.
    case sendOutbox(endingSession: Bool)

    /// The states that a caller waits for.
    package enum SettledState: Sendable, Hashable {
        /// The record has been read, or cannot be.
        case loaded
        /// Also, no login, no logout and no first attempt of a renewal is in progress.
        case attempted
        /// Also, it is known whether a renewal that was due has succeeded.
        case settled
    }
}

/// The result of an action, as the machine decides it.
package enum ActionResult: Sendable, Hashable {
    case state(SessionState)
    /// Why what is held could not be written, or `nil` if it is.
    case saved(VaultProblem?)
    case logIn(LoginResult)
    case refresh(RefreshResult)
    case logOut(LogoutResult)
    case sendOutbox(OutboxResult)
}

package enum LoginResult: Sendable, Hashable {
    case loggedIn
    /// Another process logged in at the same time, and its session is used.
    case adopted
    case failed(RefreshFailure)
    case rejected(ActionRejection)
    /// The session was ended in the meantime.
    case signedOut(SignedOutReason)
    /// The caller waits no longer; the login goes on.
    case cancelled
}

package enum RefreshResult: Sendable, Hashable {
    /// The round trip is that of the refresh, or `nil` if an experiment had kept its answer back.
    case renewed(roundTrip: Duration?)
    /// Another process renewed in the meantime, and its pair is used.
    case adopted
    /// Renewed by another login, as the profile specifies.
    case loggedIn
    /// The session is kept.
    case failed(RefreshFailure)
    /// A refresh was sent without a usable answer: the next attempt sends the same token.
    case lost(RefreshFailure)
    case loginFailed(RefreshFailure)
    case rejected(ActionRejection)
    case noRefreshToken
    /// The refresh token was refused or has ended; the access token is usable until an instant, or
    /// until it is refused if that is `nil`.
    case draining(SignedOutReason, until: Instant?)
    case signedOut(SignedOutReason)
    case vaultUnavailable(VaultProblem)
    /// The caller waits no longer; the renewal goes on.
    case cancelled
}

package enum LogoutResult: Sendable, Hashable {
    /// The tokens are erased.
    case ended(LogoutReport)
    /// The record with the tokens could not be replaced.
    case unsaved(VaultProblem, LogoutReport)
    case rejected(ActionRejection)
    /// There was no session, or it ended for another reason.
    case signedOut(SignedOutReason)
    case vaultUnavailable(VaultProblem)
    /// The caller waits no longer, and nothing has been erased yet.
    case cancelled
}

/// The state of a logout.
package struct LogoutReport: Sendable, Hashable {
    /// The backend's treatment of it, or `nil` if it has not answered yet.
    package var revocation: RevocationPhase?
    /// The status of the backend's answer.
    package var status: Int?
    /// The time that it took to replace the stored tokens.
    package var erasedAfter: Duration?
    /// Why the logout cannot be sent at the next start, if the backend was not notified.
    package var unkept: VaultProblem?

    package init(revocation: RevocationPhase? = nil) {
        self.revocation = revocation
    }
}

package enum OutboxResult: Sendable, Hashable {
    /// Each was tried, with these outcomes.
    case tried(Set<RevocationPhase>)
    case unsaved(VaultProblem)
    case vaultUnavailable(VaultProblem)
    /// The caller waits no longer.
    case cancelled
}
