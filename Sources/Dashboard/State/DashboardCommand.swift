package import Dialects

/// What the dashboard wants done.
package enum DashboardCommand: Sendable, Hashable {
    case renewNow
    case logIn
    case logOut(LogoutScope)
    case sendRequest
    case setPaused(Bool)
    case tryVault
    /// Paint the whole screen again; the theme may be another one.
    case redraw
    case suspend
    case quit
}
