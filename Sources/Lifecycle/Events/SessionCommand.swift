package import Dialects

/// What a person asks of a session.
package enum SessionCommand: Sendable, Hashable {
    case renewNow
    case logIn
    case logOut(LogoutScope)
    /// `nil`: renewal goes on.
    case setPaused(PauseExtent?, by: PauseCause = .person)
    /// Sends a request with the access token.
    case send(ProtectedCall)
    /// The program is in the foreground again: a renewal that is due begins.
    case lookAtClocks
    /// Reads or writes the vault again.
    case tryVault
}
