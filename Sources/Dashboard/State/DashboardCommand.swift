package import Dialects
package import Lifecycle
package import Tokens

/// What the dashboard wants done.
package enum DashboardCommand: Sendable, Hashable {
    case renewNow
    case logIn
    /// With what a person typed, by the names of the credentials; what is not here is known.
    case logInWith([String: Secret])
    case logOut(LogoutScope)
    case sendRequest
    /// A person's own.
    case sendCustom(CustomRequest)
    case listSessions
    /// The one of this id.
    case endSession(String)
    case setPaused(Bool, by: PauseCause = .person)
    /// The program is in the foreground again: a renewal that is due begins.
    case lookAtClocks
    case tryVault
    /// Paint the whole screen again; the theme may be another one.
    case redraw
    case suspend
    /// Ends in the message `locked`, or in a notice.
    case lock
    /// Opens the locked screen, with a passphrase if that is what opens it.
    case unlock(Secret)
    case quit
}
