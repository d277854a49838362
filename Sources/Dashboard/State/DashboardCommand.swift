package import Lifecycle
package import Tokens

/// What the dashboard wants done.
package enum DashboardCommand: Sendable, Hashable {
    /// Of one session.
    case perform(SessionCommand, on: SessionID)
    /// With what a person typed, by the names of the credentials; what is not here is known.
    case logInWith([String: Secret], on: SessionID)
    /// Paint the whole screen again; the theme may be another one.
    case redraw
    case suspend
    /// Ends in the message `locked`, or in a notice.
    case lock
    /// Opens the locked screen, with a passphrase if that is what opens it.
    case unlock(Secret)
    case quit
}
