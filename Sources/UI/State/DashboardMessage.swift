package import Basics
package import Model

/// Messages to the dashboard.
package enum DashboardMessage: Sendable {
    case key(Key)
    case mouse(MouseEvent)
    /// A pasted text, which is never read as keys.
    case pasted(String)
    case event(SessionEvent)
    case events([SessionEvent])
    case resized(columns: Int, rows: Int)
    /// The process goes on after a stop: time has passed, and the zone of the clock may be another.
    case resumed(utcOffsetSeconds: Int)
    /// The position in the recording that is shown.
    case playback(Playback)
    /// The recording goes back to its start, from which the events follow again.
    case rewound
    /// Something that a user who is not looking wants to know.
    case notification(Notification)
    /// The user has edited the configuration file.
    case configured(DashboardConfiguration)
    /// A notice, until the next key press.
    case notice(String, isWarning: Bool = false)
    /// The faults of the sandbox as it states them, or why it does not.
    case knownFaults(Result<[SandboxFault], FaultProblem>, SessionID)
    /// The present; before each key, and with each frame.
    case clock(Moment)
    /// The terminal came to the foreground, or went to the background.
    case background(Bool)
    /// The ground of the terminal, as it states it.
    case ground(Theme.Ground)
    /// All screens are to be locked.
    case lockRequested
    /// The screen is hidden from now on.
    case locked(ScreenLock.Opener)
    case unlocked
    /// The screen stays locked; with the reason, or `nil` for a wrong passphrase.
    case unlockRefused(String?)
}
