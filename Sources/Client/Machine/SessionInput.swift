package import Basics
package import Model
package import Profiles

/// Names one effect, so that its end finds the step that waits for it.
package typealias OperationID = Int

/// Everything that can happen to a session.
///
/// Indirect, because some of it is large and it is handed on many times.
package indirect enum SessionInput: Sendable {
    /// Begin: read the vault.
    case start
    /// The instant `ClientMachine.nextDeadline` is reached.
    case tick

    // By the user, or a program on behalf of the user.
    case logIn
    /// Cancels a login that waits for the user's browser.
    case cancelLogIn
    case logOut(LogoutScope)
    case refreshNow
    /// Pauses renewal, or resumes it if `nil`.
    case setPaused(PauseExtent?, by: PauseCause = .user)
    /// Try the vault again at once, for reading or for what could not be written.
    case tryVault
    case experiment(Fault)
    /// Asks the server what it knows of the tokens in use.
    case introspect
    /// The program's wall clock is off by this number of seconds from now on.
    case clockShifted(seconds: Double)
    /// These faults of the sandbox are on, perhaps the same as before.
    case faultsObserved(FaultsChange)
    /// The user has edited the profile; what cannot change while a session runs is as before.
    case profileEdited(SessionConfiguration)
    /// Sends a request with the access token; `SessionEffect.finishRequest` reports its end by
    /// `deadline`.
    case sendRequest(id: Int, call: ProtectedCall = .request, why: RequestCause, deadline: Instant)

    /// An action whose result a caller waits for; `SessionEffect.finish` reports it.
    case perform(SessionAction, caller: Int)
    /// The caller no longer waits for the result of its action.
    case callerCancelled(Int)

    // Callers that need a token.
    /// A caller needs a token, in place of one that a backend has refused if it has sent that.
    case tokenNeeded(waiter: Int, deadline: Instant, refused: AccessToken? = nil)
    case waiterCancelled(Int)
    /// A request of another program was answered that takes part in a renewal.
    case served(ServedExchange)
    /// The caller no longer waits for the request: it is not sent if it was not sent yet.
    case requestCancelled(Int)
    /// The feed was refused with this generation.
    case feedRejected(generation: Int)

    // The results of effects.
    case recordLoaded(OperationID, Result<VaultRecord?, VaultProblem>)
    /// Another process holds the flight lock: what needs it waits.
    case flightLockHeld(OperationID, by: LockHolder? = nil)
    /// False: another process holds it still.
    case flightLocked(OperationID, Result<Bool, VaultProblem>)
    /// Neither a login nor a renewal may begin: another run may have the session.
    case flightRefused(OperationID, VaultProblem)
    case committed(OperationID, Result<CommitVerdict, VaultProblem>)
    /// The vault can be written if there is no problem.
    case vaultChecked(OperationID, VaultProblem?)
    /// The response to the request that brings the parameters of a login to the server.
    case authorizationPushed(OperationID, CompletedExchange<PushedResponse>)
    /// Redirects are received, and the user is to open this URL.
    case authorizationPrompted(OperationID, url: String, isOpened: Bool)
    /// A redirect came that does not belong to the login.
    case authorizationStrayed(OperationID, RedirectProblem)
    case authorizationEnded(OperationID, Result<AuthorizationGrant, RefreshFailure>)
    /// The response to the request for a code.
    case deviceAuthorized(OperationID, CompletedExchange<DeviceResponse>)
    case loginEnded(OperationID, CompletedExchange<LoginResponse>)
    case refreshEnded(OperationID, CompletedExchange<RefreshResponse>)
    case protectedEnded(OperationID, CompletedExchange<ProtectedResponse>)
    case questionEnded(OperationID, CompletedExchange<StatementResponse>)
    case revocationEnded(OperationID, CompletedExchange<LogoutResponse>)
    case probed(OperationID, reached: Bool)

    /// Another process changed the vault.
    case vaultChanged
    /// Events of the feed connection.
    case feed(FeedInput)
}

/// The process that holds a lock.
package struct LockHolder: Sendable, Hashable {
    var process: Int
    /// The time that it has held the lock, in seconds, or `nil` if that is not known.
    var seconds: Double?

    package init(process: Int, seconds: Double? = nil) {
        self.process = process
        self.seconds = seconds
    }
}
