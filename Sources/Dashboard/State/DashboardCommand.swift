package import Dialects
package import Tokens

/// What the dashboard wants done.
package enum DashboardCommand: Sendable, Hashable {
    case renewNow
    case logIn
    /// With what a person typed, by the names of the credentials; what is not here is known.
    case logInWith([String: Secret])
    case logOut(LogoutScope)
    case sendRequest
    case listSessions
    /// The one of this id.
    case endSession(String)
    case setPaused(Bool)
    case tryVault
    /// Paint the whole screen again; the theme may be another one.
    case redraw
    case suspend
    case quit
}
