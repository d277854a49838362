package import Profiles

/// A command of the user to a session.
package enum SessionCommand: Sendable, Hashable {
    case renewNow
    case logIn
    /// Cancels a login that waits for the user's browser.
    case cancelLogIn
    case logOut(LogoutScope)
    /// Pauses renewal, or resumes it if `nil`.
    case setPaused(PauseExtent?, by: PauseCause = .user)
    /// Sends a request with the access token.
    case send(ProtectedCall)
    /// Asks the server what it knows of the tokens in use.
    case introspect
    /// The program is in the foreground again: a renewal that is due begins.
    case checkClocks
    /// Reads or writes the vault again.
    case tryVault
    /// An experiment of authtop's own client.
    case experiment(Fault)
    /// The program's wall clock is off by this number of seconds from now on.
    case reportClockShift(seconds: Double)
    /// These faults of the sandbox are on.
    case reportFaults(FaultsChange)
}
