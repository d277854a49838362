package import Dialects
package import Lifecycle
package import Timekeeping
package import Tokens

/// The dependencies of a session store.
package struct SessionEnvironment: Sendable {
    package var time: any Timekeeper
    package var transport: any TokenTransport
    package var feed: any FeedTransport
    package var vault: any Vault
    package var credentials: any CredentialSource
    package var fingerprinter: Fingerprinter

    package init(
        time: any Timekeeper,
        transport: any TokenTransport,
        feed: any FeedTransport,
        vault: any Vault,
        credentials: any CredentialSource,
        fingerprinter: Fingerprinter
    ) {
        self.time = time
        self.transport = transport
        self.feed = feed
        self.vault = vault
        self.credentials = credentials
        self.fingerprinter = fingerprinter
    }
}

/// Runs what the machine decides, and reports what became of it. It decides nothing itself.
package actor SessionStore {
    /// The session that its events name.
    package nonisolated let id: SessionID
    let dialect: Dialect
    let environment: SessionEnvironment
    package nonisolated let events = EventHub()

    private(set) var machine: ClientMachine

    /// Everything that the backend may repeat; whatever it says goes through it.
    private var register: SecretRegister
    /// What the backend calls the sessions whose ids are shown with a secret hidden.
    private var exactSessionIDs: [String: Secret] = [:]

    var sockets: [Int: FeedSlot] = [:]
    /// Who waits for the last socket's end.
    var leavers: [CheckedContinuation<Void, Never>] = []
    private var callers: [Int: CheckedContinuation<Result<TokenGrant, WaitFailure>, Never>] = [:]
    private var requesters: [Int: CheckedContinuation<RequestEnd, Never>] = [:]
    /// Of the custom requests whose answers are waited for.
    var customExchanges: [CustomRequest: CustomExchanges] = [:]
    private var lastWaiter = 0

    private let work: AsyncStream<Work>
    private let workInput: AsyncStream<Work>.Continuation
    private let vaultWork: AsyncStream<SessionEffect>
    private let vaultInput: AsyncStream<SessionEffect>.Continuation
    private let lockWork: AsyncStream<SessionEffect>
    private let lockInput: AsyncStream<SessionEffect>.Continuation
    /// What was given to the vault and is not done yet.
    private var vaultWorkLeft = 0
    private var writeWaiters: [CheckedContinuation<Void, Never>] = []
    /// Logouts that are being told the backend.
    private var revocationsLeft = 0
    private var revocationWaiters: [CheckedContinuation<Void, Never>] = []
    private var sleeper: Task<Void, Never>?
    private var armedFor: Instant?
    private var isFinished = false

    /// A store that does not run yet.
    ///
    /// - Parameters:
    ///   - dialect: How the backend speaks.
    ///   - machine: Decides about the session and its feed.
    ///   - environment: The dependencies of the store.
    package init(
        dialect: Dialect,
        machine: ClientMachine,
        environment: SessionEnvironment
    ) {
        id = machine.configuration.session
        self.dialect = dialect
        self.machine = machine
        self.environment = environment
        register = SecretRegister(fingerprinter: environment.fingerprinter)
        (work, workInput) = AsyncStream.makeStream()
        (vaultWork, vaultInput) = AsyncStream.makeStream()
        (lockWork, lockInput) = AsyncStream.makeStream()
    }

    /// Lives until the calling task is cancelled; everything that the store starts lives inside.
    ///
    /// - Parameter every: Seconds between automatic protected requests, or `nil` for none.
    package func run(requestEvery every: Double?) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.runTimer() }
            group.addTask { await self.runVaultWork() }
            group.addTask { await self.runInOrder(self.lockWork) }
            if let every { group.addTask { await self.runRequests(every: every) } }
            // Before the record is read for the first time: no change goes unnoticed.
            let changes = environment.vault.changes()
            group.addTask { await self.noteChanges(changes) }
            if let imported = machine.configuration.imported { note { $0.note(imported, at: $1) } }
            // What is at hand may have been sent by another process a moment ago.
            if let known = try? await environment.credentials.credentials(named: []) {
                note { $0.note(credentials: known, at: $1) }
            }
            noteFixedSecrets()
            step(.start)
            for await work in self.work {
                group.addTask { await self.perform(work) }
            }
            // Before the tasks are waited for: some of them wait for what nobody does any more.
            releaseWaiters()
            group.cancelAll()
        }
        events.finish()
    }

    /// Tells the machine something; what follows happens inside `run`.
    package func send(_ input: SessionInput) {
        step(input)
    }

    package var state: SessionState { machine.state }

    /// Identifies the login that the held pair descends from, or `nil` if none is held.
    package var family: String? { machine.held?.family }

    /// A token that may be used now, waiting for a renewal if need be, but not past `deadline`.
    ///
    /// Cancelling the caller takes its own wait away and nothing else.
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

    /// Sends the dialect's protected request, twice at most.
    ///
    /// Cancelling the caller ends its own wait; the request is not sent if it was not yet, and what
    /// it shows of the session counts if it was.
    package func sendRequest(why: RequestCause) async -> RequestEnd {
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

    /// Sends a request with the access token without waiting for its end.
    package func start(_ call: ProtectedCall, why: RequestCause) {
        let deadline = environment.time.now + SessionStore.answerLimit
        step(.sendRequest(id: nextWaiter(), call: call, why: why, deadline: deadline))
    }

    private func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    // MARK: - Secrets

    /// What is not to be shown of what the backend says now.
    var secrets: KnownSecrets { register.known(at: environment.time.now) }

    func note(_ change: (inout SecretRegister, Instant) -> Void) {
        change(&register, environment.time.now)
    }

    /// What the profile's file holds, and each request with it.
    func noteFixedSecrets() {
        for (name, value) in dialect.fixedSecrets {
            note { $0.note(credentials: [name: value], at: $1) }
        }
    }

    func noteIDs(of sessions: [ListedSession]) {
        exactSessionIDs = Dictionary(
            sessions.compactMap { session in session.exactID.map { (session.id, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// What the backend calls the session that is shown under this id.
    func exactID(of id: String) -> String { exactSessionIDs[id]?.reveal() ?? id }

    // MARK: - Steps

    /// Applies an input.
    ///
    /// Its effects are only begun here: what becomes of them comes back later, as other inputs.
    func step(_ input: SessionInput) {
        let effects = machine.handle(input, at: environment.time.moment)
        for effect in effects { dispatch(effect) }
        rearm()
    }

    private func dispatch(_ effect: SessionEffect) {
        switch effect {
        case .emit(let event):
            events.send(event.hiding(secrets))
        case .resume(let waiter, let result):
            callers.removeValue(forKey: waiter)?.resume(returning: result)
        case .finishRequest(let id, let end):
            requesters.removeValue(forKey: id)?.resume(returning: end)
        case .loadRecord, .commit, .checkVault:
            vaultWorkLeft += 1
            vaultInput.yield(effect)
        case .lockFlight, .unlockFlight: lockInput.yield(effect)
        case .sendRevocation:
            revocationsLeft += 1
            workInput.yield(.effect(effect))
        case .sendLogin, .sendRefresh, .sendProtected, .probe, .feed:
            workInput.yield(.effect(effect))
        }
    }

    // MARK: - Time

    /// Wakes the timer when it sleeps for another instant than the one now wanted.
    private func rearm() {
        guard armedFor != machine.nextDeadline else { return }
        sleeper?.cancel()
    }

    private func runTimer() async {
        let time = environment.time
        while !Task.isCancelled {
            armedFor = machine.nextDeadline
            // Even without a deadline the clocks are looked at once a day.
            let deadline = armedFor ?? time.now + .seconds(86_400)
            let sleeper = Task { _ = try? await time.sleep(until: deadline) }
            self.sleeper = sleeper
            await withTaskCancellationHandler {
                await sleeper.value
            } onCancel: {
                sleeper.cancel()
            }
            guard !Task.isCancelled else { break }
            tick()
        }
        workInput.finish()
        vaultInput.finish()
        lockInput.finish()
    }

    private func tick() {
        guard let due = machine.nextDeadline, due <= environment.time.now else { return }
        step(.tick)
    }

    /// The vault's and the lock's work is done in the order in which it was decided.
    private func runInOrder(_ effects: AsyncStream<SessionEffect>) async {
        for await effect in effects { await perform(effect) }
    }

    private func runVaultWork() async {
        for await effect in vaultWork {
            await perform(effect)
            vaultWorkLeft -= 1
            if vaultWorkLeft == 0 { resumeWriteWaiters() }
        }
    }

    /// Waits until everything that was decided so far is written, or could not be.
    package func flushWrites() async {
        guard vaultWorkLeft > 0, !isFinished else { return }
        await withCheckedContinuation { writeWaiters.append($0) }
    }

    /// Waits until the backend has answered each logout that it is being told of now, or has not in
    /// its time.
    package func flushRevocations() async {
        guard revocationsLeft > 0, !isFinished else { return }
        await withCheckedContinuation { revocationWaiters.append($0) }
    }

    func noteRevocation() {
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

    private func noteChanges(_ changes: AsyncStream<Void>) async {
        for await _ in changes { step(.vaultChanged) }
    }

    private func runRequests(every seconds: Double) async {
        let time = environment.time
        var next = time.now
        while !Task.isCancelled {
            next = max(next.advanced(bySeconds: seconds), time.now)
            do { try await time.sleep(until: next) } catch { return }
            // An app in the background asks for nothing; a person who pauses renewal wants to see
            // what the backend says without it.
            guard machine.state.isLive, machine.flags.pauses[.background] == nil else { continue }
            _ = await sendRequest(why: .interval(seconds: seconds))
        }
    }

    /// Nobody waits for a store that has ended.
    private func releaseWaiters() {
        isFinished = true
        for caller in callers.values { caller.resume(returning: .failure(.cancelled)) }
        for requester in requesters.values { requester.resume(returning: .noToken(.cancelled)) }
        callers = [:]
        requesters = [:]
        resumeWriteWaiters()
        resumeRevocationWaiters()
    }
}
