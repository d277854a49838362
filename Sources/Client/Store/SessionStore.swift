import Basics
package import Model
import Profiles

/// Runs the effects that the machine decides on, and reports their outcomes. It makes no decisions
/// itself.
package actor SessionStore {
    /// The id of the session in its events.
    package nonisolated let id: SessionID
    /// The dialect of the backend.
    var dialect: Dialect { _read { yield sharedDialect.value } }
    /// The same, for closures: a copy of all of its parts would be a part of each request's costs.
    var sharedDialect: Shared<Dialect> {
        didSet { requirements = RequestRequirements(of: dialect) }
    }
    /// What each request needs to know of the dialect.
    private(set) var requirements: RequestRequirements
    let environment: SessionEnvironment
    package nonisolated let events: EventHub
    /// Whether no other session sends events to `events`.
    private let hasOwnEvents: Bool

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
    /// Whether the run ends: no login and no renewal begins any more.
    var isLeaving = false
    /// The logins and renewals that have been sent and not been answered.
    var flightRequestsLeft = 0
    /// The callers that wait for the last socket to close, and for the answers that bring tokens.
    var leavers: [CheckedContinuation<Void, Never>] = []
    /// Those that wait for a token, by the number of the waiter.
    var waiters: [Int: CheckedContinuation<Result<TokenGrant, WaitFailure>, Never>] = [:]
    /// Those that wait for the result of an action, by the number of the caller.
    var callers: [Int: CheckedContinuation<ActionResult?, Never>] = [:]
    var requesters: [Int: CheckedContinuation<RequestEnd, Never>] = [:]
    /// The custom requests whose responses callers wait for.
    var customExchanges: [CustomRequest: CustomExchanges] = [:]
    var lastWaiter = 0

    private let work: AsyncStream<Work>
    let workInput: AsyncStream<Work>.Continuation
    let vaultWork: AsyncStream<SessionEffect>
    private let vaultInput: AsyncStream<SessionEffect>.Continuation
    let lockWork: AsyncStream<SessionEffect>
    private let lockInput: AsyncStream<SessionEffect>.Continuation
    /// The locks that are to be taken, in order, until they are taken or not; those that are given up
    /// before are not waited for any longer.
    var lockRequests: [OperationID: LockRequest] = [:]
    /// The places of logins and renewals in the limited number of a run, by their locks.
    var flightPlaces: [OperationID: Int] = [:]
    /// The number of vault operations that are enqueued or running.
    var vaultWorkLeft = 0
    var writeWaiters: [CheckedContinuation<Void, Never>] = []
    /// The number of logouts that are being sent to the backend.
    var revocationsLeft = 0
    var revocationWaiters: [CheckedContinuation<Void, Never>] = []
    private let timer: DeadlineTimer
    var isFinished = false

    /// Creates a store that does not run yet.
    ///
    /// - Parameters:
    ///   - dialect: The dialect of the backend.
    ///   - machine: The machine, which decides about the session and its feed.
    ///   - environment: The dependencies of the store.
    ///   - events: The hub of a run with several sessions, or `nil` for one of its own.
    init(
        dialect: Dialect,
        machine: ClientMachine,
        environment: SessionEnvironment,
        events: EventHub? = nil
    ) {
        self.events = events ?? EventHub()
        hasOwnEvents = events == nil
        id = machine.configuration.session
        sharedDialect = Shared(dialect)
        requirements = RequestRequirements(of: dialect)
        self.machine = machine
        self.environment = environment
        timer = DeadlineTimer(environment.time)
        register = SecretRegister(
            fingerprinter: environment.fingerprinter,
            tokenLimit: environment.rememberedTokens ?? SecretRegister.usualTokenLimit
        )
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
                registerSecrets { $0.register(imported.secrets, at: $1) }
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
        for id in Array(flightPlaces.keys) { leaveFlight(id) }
        if hasOwnEvents { events.finish() }
    }

    /// Enqueues an input; its effects run inside `run()`.
    package func send(_ input: SessionInput) {
        step(input)
    }

    package var state: SessionState { machine.state }

    /// The pair that is held, or `nil` if none is.
    package var pair: SessionPair? { machine.held }

    /// Identifies the login that the held pair descends from, or `nil` if none is held.
    package var family: String? { machine.held?.family }

    // MARK: - Secrets

    /// The secrets to hide in what the backend sends now.
    var secrets: KnownSecrets { register.known(at: environment.time.now) }

    func registerSecrets(_ change: (inout SecretRegister, Instant) -> Void) {
        change(&register, environment.time.now)
    }

    /// Remembers the secrets in the profile's file, which each request sends.
    func registerFixedSecrets() {
        for (name, value) in requirements.fixedSecrets {
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
            waiters.removeValue(forKey: waiter)?.resume(returning: result)
        case .finish(let caller, let result):
            callers.removeValue(forKey: caller)?.resume(returning: result)
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
        case .sendLogin, .sendRefresh:
            flightRequestsLeft += 1
            workInput.yield(.effect(effect))
        case .sendProtected, .ask, .probe, .feed:
            workInput.yield(.effect(effect))
        }
    }

    private func runTimer() async {
        await timer.run(
            nextDeadline: { isLeaving ? nil : machine.nextDeadline },
            tick: { step(.tick) }
        )
        workInput.finish()
        vaultInput.finish()
        lockInput.finish()
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

    func resumeRevocationWaiters() {
        for waiter in revocationWaiters { waiter.resume() }
        revocationWaiters = []
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
}
