package import Basics
package import Model
import Profiles

/// Runs the effects that the machine decides on, and reports their outcomes. It makes no decisions
/// itself.
package actor SessionStore {
    /// The id of the session in its events.
    package nonisolated let id: SessionID
    let dialect: Dialect
    let environment: SessionEnvironment
    package nonisolated let events = EventHub()

    private(set) var machine: ClientMachine

    /// All secrets that the backend may repeat; everything it sends is searched for them.
    private var register: SecretRegister
    /// The backend's ids of the sessions whose ids are shown with a secret hidden.
    private var exactSessionIDs: [String: Secret] = [:]
    /// The nonces that servers expect in the next proofs.
    var proofNonces = ProofNonces()

    var sockets: [Int: FeedSlot] = [:]
    /// The number of sockets that are not read, because a reader of the events is behind.
    var heldSockets = 0
    var authorizations: [OperationID: PendingAuthorization] = [:]
    /// The callers that wait for the last socket to close.
    var leavers: [CheckedContinuation<Void, Never>] = []
    private var callers: [Int: CheckedContinuation<Result<TokenGrant, WaitFailure>, Never>] = [:]
    private var actors: [Int: CheckedContinuation<ActionResult?, Never>] = [:]
    private var requesters: [Int: CheckedContinuation<RequestEnd, Never>] = [:]
    /// The custom requests whose responses callers wait for.
    var customExchanges: [CustomRequest: CustomExchanges] = [:]
    private var lastWaiter = 0

    private let work: AsyncStream<Work>
    let workInput: AsyncStream<Work>.Continuation
    private let vaultWork: AsyncStream<SessionEffect>
    private let vaultInput: AsyncStream<SessionEffect>.Continuation
    private let lockWork: AsyncStream<SessionEffect>
    private let lockInput: AsyncStream<SessionEffect>.Continuation
    /// The locks that are to be taken, in order, until they are taken or not; those that are given up
    /// before are not waited for any longer.
    private var lockRequests: [OperationID: LockRequest] = [:]
    /// The number of vault operations that are enqueued or running.
    private var vaultWorkLeft = 0
    private var writeWaiters: [CheckedContinuation<Void, Never>] = []
    /// The number of logouts that are being sent to the backend.
    private var revocationsLeft = 0
    private var revocationWaiters: [CheckedContinuation<Void, Never>] = []
    private let timer: DeadlineTimer
    private var isFinished = false

    /// Creates a store that does not run yet.
    ///
    /// - Parameters:
    ///   - dialect: The dialect of the backend.
    ///   - machine: The machine, which decides about the session and its feed.
    ///   - environment: The dependencies of the store.
    init(
        dialect: Dialect,
        machine: ClientMachine,
        environment: SessionEnvironment
    ) {
        id = machine.configuration.session
        self.dialect = dialect
        self.machine = machine
        self.environment = environment
        timer = DeadlineTimer(environment.time)
        register = SecretRegister(fingerprinter: environment.fingerprinter)
        (work, workInput) = AsyncStream.makeStream()
        (vaultWork, vaultInput) = AsyncStream.makeStream()
        (lockWork, lockInput) = AsyncStream.makeStream()
    }

    /// Runs until the calling task is cancelled; all tasks of the store are its children.
    ///
    /// - Parameter every: Seconds between automatic protected requests, or `nil` for none.
    func run(requestEvery every: Double?) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.runTimer() }
            group.addTask { await self.runVaultWork() }
            group.addTask { await self.runLockWork() }
            if let every { group.addTask { await self.runRequests(every: every) } }
            // Begins before the record is first read, so that no change is missed.
            let changes = environment.vault.changes()
            group.addTask { await self.observeChanges(changes) }
            if let imported = machine.configuration.imported {
                registerSecrets { $0.register(imported, at: $1) }
            }
            // Another process may have sent the available credentials a moment ago.
            if let known = try? await environment.credentials.credentials(named: []) {
                registerSecrets { $0.register(credentials: known, at: $1) }
            }
            registerFixedSecrets()
            step(.start)
            for await work in self.work {
                group.addTask { await self.perform(work) }
            }
            // Before the tasks are awaited, since some of them wait for results that no longer
            // come.
            releaseWaiters()
            group.cancelAll()
        }
        events.finish()
    }

    /// Enqueues an input; its effects run inside `run()`.
    package func send(_ input: SessionInput) {
        step(input)
    }

    package var state: SessionState { machine.state }

    /// Identifies the login that the held pair descends from, or `nil` if none is held.
    package var family: String? { machine.held?.family }

    /// Returns a valid access token, after waiting for a refresh if necessary, but not past
    /// `deadline`.
    ///
    /// Cancelling the caller cancels only its own wait.
    package func freshToken(by deadline: Instant) async throws(WaitFailure) -> TokenGrant {
        let id = nextWaiter()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<TokenGrant, WaitFailure>, Never>) in
                guard !isFinished, !Task.isCancelled else {
                    return continuation.resume(returning: .failure(WaitFailure.cancelled))
                }
                callers[id] = continuation
                step(.tokenNeeded(waiter: id, deadline: deadline))
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
                actors[id] = continuation
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

    private func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    // MARK: - Secrets

    /// The secrets to hide in what the backend sends now.
    var secrets: KnownSecrets { register.known(at: environment.time.now) }

    func registerSecrets(_ change: (inout SecretRegister, Instant) -> Void) {
        change(&register, environment.time.now)
    }

    /// Remembers the secrets in the profile's file, which each request sends.
    func registerFixedSecrets() {
        for (name, value) in dialect.fixedSecrets {
            registerSecrets { $0.register(credentials: [name: value], at: $1) }
        }
    }

    func registerIDs(of sessions: [ListedSession]) {
        exactSessionIDs = Dictionary(
            sessions.compactMap { session in session.exactID.map { (session.id, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the backend's id of the session that is shown under this id.
    func exactID(of id: String) -> String { exactSessionIDs[id]?.reveal() ?? id }

    // MARK: - Steps

    /// Applies an input.
    ///
    /// Its effects are only started here; their outcomes return later as inputs.
    func step(_ input: SessionInput) {
        step([input])
    }

    /// Applies inputs that arrived together, in order, at the same time.
    func step(_ inputs: [SessionInput]) {
        let moment = environment.time.moment
        dispatch(inputs.flatMap { machine.handle($0, at: moment) })
        timer.deadlineChanged(to: machine.nextDeadline)
    }

    /// Starts effects in order; the events between two others are sent together.
    private func dispatch(_ effects: [SessionEffect]) {
        var emitted: [SessionEvent] = []
        for effect in effects {
            if case .emit(let event) = effect {
                emitted.append(event.hiding(secrets))
            } else {
                events.send(emitted)
                emitted = []
                start(effect)
            }
        }
        events.send(emitted)
    }

    private func start(_ effect: SessionEffect) {
        switch effect {
        case .emit: break
        case .resume(let waiter, let result):
            callers.removeValue(forKey: waiter)?.resume(returning: result)
        case .finish(let caller, let result):
            actors.removeValue(forKey: caller)?.resume(returning: result)
        case .finishRequest(let id, let end):
            requesters.removeValue(forKey: id)?.resume(returning: end)
        case .loadRecord, .commit, .checkVault:
            vaultWorkLeft += 1
            vaultInput.yield(effect)
        case .lockFlight(let id):
            lockRequests[id] = .waiting
            lockInput.yield(effect)
        case .unlockFlight(let id):
            giveUpLock(id)
            lockInput.yield(effect)
        case .sendRevocation:
            revocationsLeft += 1
            workInput.yield(.effect(effect))
        case .authorize(let id):
            authorizations[id] = PendingAuthorization()
            workInput.yield(.effect(effect))
        case .cancelAuthorization(let id): authorizations[id]?.cancel.finish()
        case .sendLogin, .sendRefresh, .sendProtected, .ask, .probe, .feed:
            workInput.yield(.effect(effect))
        }
    }

    private func runTimer() async {
        await timer.run(nextDeadline: { machine.nextDeadline }, tick: { step(.tick) })
        workInput.finish()
        vaultInput.finish()
        lockInput.finish()
    }

    // MARK: - The lock

    /// The request of a lock that has not been answered yet.
    private enum LockRequest {
        /// Others come first.
        case waiting
        case running(Task<Void, Never>)
        case givenUp
    }

    /// Runs the effects on the lock in the order in which they were decided, except that giving up a lock
    /// that is waited for ends the wait at once.
    private func runLockWork() async {
        for await effect in lockWork {
            guard case .lockFlight(let id) = effect else {
                await perform(effect)
                continue
            }
            guard case .waiting? = lockRequests[id] else {
                lockRequests[id] = nil
                step(.flightLocked(id, .success(false)))
                continue
            }
            let task = Task { await perform(effect) }
            lockRequests[id] = .running(task)
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            lockRequests[id] = nil
        }
    }

    private func giveUpLock(_ id: OperationID) {
        switch lockRequests[id] {
        case .waiting: lockRequests[id] = .givenUp
        case .running(let task): task.cancel()
        case .givenUp, nil: break
        }
    }

    private func runVaultWork() async {
        for await effect in vaultWork {
            await perform(effect)
            vaultWorkLeft -= 1
            if vaultWorkLeft == 0 { resumeWriteWaiters() }
        }
    }

    /// Waits until everything decided so far has been written, or has failed to be.
    package func flushWrites() async {
        guard vaultWorkLeft > 0, !isFinished else { return }
        await withCheckedContinuation { writeWaiters.append($0) }
    }

    /// Waits until every logout that is being sent has been answered, or has timed out.
    package func flushRevocations() async {
        guard revocationsLeft > 0, !isFinished else { return }
        await withCheckedContinuation { revocationWaiters.append($0) }
    }

    func recordRevocation() {
        revocationsLeft -= 1
        if revocationsLeft == 0 { resumeRevocationWaiters() }
    }

    private func resumeRevocationWaiters() {
        for waiter in revocationWaiters { waiter.resume() }
        revocationWaiters = []
    }

    private func resumeWriteWaiters() {
        for waiter in writeWaiters { waiter.resume() }
        writeWaiters = []
    }

    private func observeChanges(_ changes: AsyncStream<Void>) async {
        for await _ in changes { step(.vaultChanged) }
    }

    private func runRequests(every seconds: Double) async {
        let time = environment.time
        var next = time.now
        while !Task.isCancelled {
            next = max(next.advanced(bySeconds: seconds), time.now)
            do { try await time.sleep(until: next) } catch { return }
            // An app in the background asks for nothing; a user who pauses renewal wants to see
            // what the backend says without it.
            guard machine.state.isLive, machine.flags.pauses[.background] == nil else { continue }
            _ = await sendRequest(why: .interval(seconds: seconds))
        }
    }

    /// Resumes all waiters, since no further results come.
    private func releaseWaiters() {
        isFinished = true
        for caller in callers.values { caller.resume(returning: .failure(.cancelled)) }
        for requester in requesters.values { requester.resume(returning: .noToken(.cancelled)) }
        for actor in actors.values { actor.resume(returning: nil) }
        callers = [:]
        actors = [:]
        requesters = [:]
        resumeWriteWaiters()
        resumeRevocationWaiters()
    }
}
