package import Model

/// What a key can mean.
package enum Action: Sendable, Hashable {
    case renew
    case logIn
    /// Cancels a sign-in that waits for the user's browser.
    case cancelLogIn
    /// Copies the URL of the sign-in.
    case copyURL
    case logOut
    case logOutEverywhere
    case send
    /// Opens the form of a request.
    case compose
    case olderRequest
    case newerRequest
    case cyclePause
    /// Reads or writes the vault again at once.
    case tryVault
    case focus(PaneID)
    /// Shows another one of several sessions.
    case nextSession
    case previousSession
    /// Gives the focused pane the whole screen, or takes it back.
    case zoom
    case nextPane
    case previousPane
    case move(ListMove)
    /// In the lifeline.
    case lifeline(LifelineMove)
    case toggleFollow
    case filter
    /// To the next older line that matches the last filter.
    case nextMatch
    /// To the next newer one.
    case previousMatch
    case detail
    /// Copies what is selected.
    case copy
    /// Writes the events of the last minutes to a file.
    case writeRecording
    /// Writes what an app's traffic shows of its backend as a profile.
    case writeProfile
    /// Shows where the tokens of an app's session come from.
    case familyTree
    /// Selects the newest finding, in its session.
    case newestFinding
    /// Lists the requests of all sessions of an app, or of the one that the panes show.
    case listAllSessions
    /// Begins the last experiment with an app again.
    case repeatExperiment
    case playback(PlaybackControl)
    case sessions
    case endSelected
    /// Lists the faults of the sandbox.
    case faults
    /// Turns the selected fault on for one time.
    case faultOnce
    case toggleFault
    case allFaultsOff
    /// Lists the experiments with the backend.
    case experiments
    case runExperiment
    /// Shifts the program's wall clock by one step.
    case shiftClock(ClockShift.Step)
    /// Asks the server what it knows of the tokens in use.
    case introspect
    case help
    case statistics
    case theme
    case redraw
    case suspend
    /// Hides the screen until it is unlocked.
    case lock
    case unlock
    /// One step back: out of an overlay, a filter, a held list.
    case back
    case quit
    /// Quits from any screen.
    case quitNow
    case confirm
    case decline
    case keepFilter
    case clearFilter
    case erase
    case eraseAll
    case nextField
    case previousField
    case acceptField
}
