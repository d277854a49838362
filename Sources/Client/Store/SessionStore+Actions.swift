package import Model
package import Profiles

/// The user's actions on a session, each with the machine's result.
///
/// Cancelling a caller ends its own wait only: the result is then what is known so far, and what was
/// begun goes on.
extension SessionStore {
    /// Returns the state once the record has been read, or cannot be.
    @discardableResult
    package func load() async -> SessionState { await state(.loaded) }

    /// Returns the state once it is at rest, in the sense of `rest`.
    @discardableResult
    package func state(_ settledState: SessionAction.SettledState) async -> SessionState {
        if case .state(let state)? = await answer(to: .wait(for: settledState)) {
            state
        } else {
            state
        }
    }

    /// Waits until what is held is written.
    ///
    /// - Returns: Why two attempts have failed, or `nil` if it is written.
    package func saved() async -> VaultProblem? {
        if case .saved(let problem)? = await result(of: .save) { problem } else { nil }
    }

    /// Logs in, in place of a session that has ended or cannot be renewed.
    package func logIn() async -> LoginResult {
        if case .logIn(let result)? = await result(of: .logIn) { result } else { .cancelled }
    }

    /// Renews the pair, or waits for the renewal in progress.
    package func refresh() async -> RefreshResult {
        if case .refresh(let result)? = await result(of: .refresh) { result } else { .cancelled }
    }

    /// Whether the backend can only be notified of a logout after a renewal: its request needs a live
    /// access token, and that has expired.
    package func needsRenewal(before scope: LogoutScope) -> Bool {
        machine.needsRenewal(before: scope)
    }

    /// Erases the tokens, and returns once the backend was notified, or could not be.
    package func logOut(_ scope: LogoutScope) async -> LogoutResult {
        let result = await result(of: .logOut(scope))
        if case .logOut(let result)? = result { return result }
        return .cancelled
    }

    /// Tries each logout once that the backend has not been notified of.
    ///
    /// - Parameter endsSession: Whether to end the stored session first, if there is one.
    /// - Returns: The result for them.
    package func sendOutbox(endingSession endsSession: Bool) async -> OutboxResult {
        let result = await result(of: .sendOutbox(endingSession: endsSession))
        if case .sendOutbox(let result)? = result { return result }
        return .cancelled
    }

    /// Sends the profile's protected request; returns `accepted` on success.
    package func request() async -> RequestEnd {
        await send(.request, why: .user)
    }

    /// Requests the list of sessions; returns `listed` on success.
    package func sessions() async -> RequestEnd {
        await send(.sessions, why: .user)
    }

    /// Ends a session; returns `accepted` on success.
    package func endSession(_ id: String) async -> RequestEnd {
        await send(.endSession(id), why: .user)
    }

    /// Performs an action once the record has been read, and returns its result, or `nil` if the
    /// caller is cancelled before, or the store no longer runs.
    private func result(of action: SessionAction) async -> ActionResult? {
        await load()
        return await answer(to: action)
    }

    /// Returns why there is no session, which can have ended before this process began.
    package func reason(_ reason: SignedOutReason) -> SignedOutReason {
        reason == .never ? machine.ending?.reason ?? .never : reason
    }

    /// The capabilities of the profile.
    package var capabilities: Capabilities { machine.configuration.capabilities }

    /// Whether the pair in use can be renewed, or replaced without the user.
    package var canRenew: Bool { machine.canRenew }
}
