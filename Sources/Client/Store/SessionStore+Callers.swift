package import Basics
package import Model
import Profiles

/// The callers that wait: for a token, an action or a request.
extension SessionStore {
    /// Returns a valid access token, after waiting for a refresh if necessary, but not past
    /// `deadline`.
    ///
    /// Cancelling the caller cancels only its own wait.
    ///
    /// - Parameters:
    ///   - deadline: Until when the caller waits.
    ///   - refused: A token that a backend has refused, or `nil` for none.
    /// - Returns: The token, which is another one than that.
    /// - Throws: `WaitFailure` if there is none.
    package func freshToken(
        by deadline: Instant,
        inPlaceOf refused: AccessToken? = nil
    ) async throws(WaitFailure) -> TokenGrant {
        let id = nextWaiter()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<TokenGrant, WaitFailure>, Never>) in
                guard !isFinished, !Task.isCancelled else {
                    return continuation.resume(returning: .failure(WaitFailure.cancelled))
                }
                waiters[id] = continuation
                step(.tokenNeeded(waiter: id, deadline: deadline, refused: refused))
            }
        } onCancel: {
            workInput.yield(.input(.waiterCancelled(id)))
        }
        return try result.get()
    }

    /// Begins an action, and returns its result, or `nil` if it was not begun.
    func answer(to action: SessionAction) async -> ActionResult? {
        let id = nextWaiter()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isFinished, !Task.isCancelled else {
                    return continuation.resume(returning: nil)
                }
                callers[id] = continuation
                step(.perform(action, caller: id))
            }
        } onCancel: {
            workInput.yield(.input(.callerCancelled(id)))
        }
    }

    /// Sends the dialect's protected request, at most twice.
    ///
    /// Cancelling the caller ends its own wait. A request that was not sent yet is not sent; the
    /// outcome of one that was sent still counts for the session.
    func sendRequest(why: RequestCause) async -> RequestEnd {
        await send(.request, why: why)
    }

    func send(_ call: ProtectedCall, why: RequestCause) async -> RequestEnd {
        let id = nextWaiter()
        let deadline = environment.time.now + SessionStore.answerLimit
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isFinished, !Task.isCancelled else {
                    return continuation.resume(returning: .noToken(.cancelled))
                }
                requesters[id] = continuation
                step(.sendRequest(id: id, call: call, why: why, deadline: deadline))
            }
        } onCancel: {
            workInput.yield(.cancelRequest(id))
        }
    }

    func cancelRequest(_ id: Int) {
        step(.requestCancelled(id))
        requesters.removeValue(forKey: id)?.resume(returning: .noToken(.cancelled))
    }

    /// Sends a request with the access token, without waiting for the response.
    func start(_ call: ProtectedCall, why: RequestCause) {
        let deadline = environment.time.now + SessionStore.answerLimit
        step(.sendRequest(id: nextWaiter(), call: call, why: why, deadline: deadline))
    }

    func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// Resumes all waiters, since no further results come.
    func releaseWaiters() {
        isFinished = true
        for waiter in waiters.values { waiter.resume(returning: .failure(.cancelled)) }
        for requester in requesters.values { requester.resume(returning: .noToken(.cancelled)) }
        for caller in callers.values { caller.resume(returning: nil) }
        waiters = [:]
        callers = [:]
        requesters = [:]
        resumeWriteWaiters()
        resumeRevocationWaiters()
    }
}
