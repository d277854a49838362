package import Basics
package import Model

/// Commands that the dashboard returns to its runtime.
package enum DashboardCommand: Sendable, Hashable {
    /// Of one session.
    case perform(SessionCommand, on: SessionID)
    /// Asks the sandbox for its faults, or sets them; the outcome is the message `knownFaults`.
    case faults(FaultRequest, on: SessionID)
    /// Begins an experiment with an app: with one session, or with any.
    case beginExperiment(Fault, with: SessionID?)
    case stopExperiment(Fault)
    /// Shifts the wall clock of the whole program, which all sessions use.
    case shiftClock(seconds: Double)
    /// Logs in with the values that the user typed, by the names of the credentials; others are
    /// known already.
    case logInWith([String: Secret], on: SessionID)
    /// Paint the whole screen again; the theme may be another one.
    case redraw
    /// Ring the bell.
    case ring
    /// Has the terminal show a notification.
    case announce(String)
    case suspend
    /// Moves in the recording that is shown.
    case playback(PlaybackControl)
    /// Locks the screen; the outcome is the message `locked` or a notice.
    case lock
    /// Opens the locked screen, with a passphrase if that is what opens it.
    case unlock(Secret)
    /// Puts a text on the terminal's clipboard; the outcome is a notice.
    case copy(CopiedText)
    /// Writes the events of the last minutes to a new file; the outcome is a notice.
    case writeRecording
    /// Writes a profile of an app's backend to a new file; the outcome is a notice.
    case writeProfile
    /// Opens the user's editor with the file of a session's profile.
    case editProfile(of: SessionID)
    case quit
    /// Ends the program, also if the dashboard was opened from another screen.
    case quitAtOnce
}
