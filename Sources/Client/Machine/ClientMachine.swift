package import Basics
import FoundationEssentials
import Model

/// The decisions of a client about its session and its feed: when to log in, renew, dial, retry and
/// give up.
///
/// `SessionLedger` is what is known about the session; this type decides what follows. It reads no
/// clock and performs no I/O: the caller runs the effects that `handle` returns, reports the
/// outcome of each as an input, and sends a `tick` when `nextDeadline` is reached.
package struct ClientMachine: Sendable {
    private var constants: Constants
    let fingerprinter: Fingerprinter
    let retries = RetryPolicy()
    var random: SeededGenerator

    var stage = Stage.starting
    /// The state of the last `stateChanged`.
    var announced = SessionState.cold
    /// The plan of the last `renewalPlanned`, or `nil` if no pair is held.
    var announcedPlan: RenewalPlan?
    /// Since when the first of the waiters waits, as of the last `tokenAwaited`.
    var announcedWaiting: Moment?
    /// Those of this run: its own, those adopted from other processes, and the session resumed at the
    /// start.
    var loginCount = 0
    /// Counts logins and logouts over all processes; what began before a change is void.
    var epoch = 0
    var server = ServerClock()

    var pauses: [PauseCause: PauseExtent] = [:]
    var breaker = Breaker()
    /// How requests with the session's access tokens are accepted and refused.
    var acceptances = AcceptancePattern()
    /// Pairs in a row that were no better than the one before.
    var pairsWithoutProgress = 0
    /// Waits for a renewal because logging out everywhere needs a live access token.
    var pendingLogoutEverywhere = false
    var storage = StorageProgress()
    /// The end of the last session, as far as it is known: stored while there is no pair.
    var ending: StoredEnding?
    var flightLock = FlightLockProgress()
    var users = TokenUsers()
    /// Callers that wait for the result of an action.
    var callers: [ActionCaller] = []
    /// The logout in progress, or `nil` if there is none.
    var logout: LogoutProgress?
    var outbox = Outbox()
    var wake = SuspensionDetector()
    /// The experiment in progress, or `nil` if there is none.
    var experiment: ExperimentProgress?
    /// The faults of the last `faultsChanged`.
    private var faults: [String] = []
    /// `nil` if the profile has no feed.
    private(set) var feed: FeedMachine?
    /// The deadline of the feed alone; kept, because every step reads it.
    private(set) var feedDeadline: Instant?
    /// The newest token of the feed, or `nil` if it has none; kept, because every step reads it.
    private(set) var feedToken: FeedToken?

    var timers = TimerSet()
    var operations = OperationTable()
    var lastFlight = 0
    var lastRecord = 0

    /// The time of the current call.
    var clock = Moment(now: .origin, wall: .init(timeIntervalSince1970: 0))
    var effects: [SessionEffect] = []
    /// Inputs caused by the effects of the current input, which are applied after it.
    private var caused: [SessionInput] = []

    package init(
        configuration: SessionConfiguration,
        fingerprinter: Fingerprinter,
        random: SeededGenerator
    ) {
        constants = Constants(configuration)
        self.fingerprinter = fingerprinter
        self.random = random
        feed = configuration.feed.map { feed in
            FeedMachine(
                following: feed.following,
                asksSince: feed.asksSince,
                carrier: feed.carrier,
                script: feed.script,
                random: self.random.fork()
            )
        }
    }

    /// Shared by the copies of a machine, because it is large.
    private final class Constants: Sendable {
        let configuration: SessionConfiguration

        init(_ configuration: SessionConfiguration) {
            self.configuration = configuration
        }
    }

    var configuration: SessionConfiguration { constants.configuration }

    /// When a `tick` is due, or `nil` if no timer runs.
    var nextDeadline: Instant? {
        Instant.earlier(sessionDeadline, feedDeadline)
    }

    /// The deadline of the session alone.
    var sessionDeadline: Instant? {
        var earliest = timers.earliest
        for waiter in users.waiters where earliest.map({ waiter.deadline < $0 }) ?? true {
            earliest = waiter.deadline
        }
        return earliest
    }

    /// Applies an input and returns the effects to run, in order.
    package mutating func handle(_ input: SessionInput, at moment: Moment) -> [SessionEffect] {
        effects = []
        observeClock(moment)
        apply(input)
        readAgainAfterFlight()
        while !caused.isEmpty {
            apply(caused.removeFirst())
            readAgainAfterFlight()
        }
        announceRenewalPlan()
        announceWaiting()
        finishWaits()
        defer { effects = [] }
        return effects
    }

    private mutating func apply(_ input: SessionInput) {
        switch input {
        case .start: loadAtStart()
        case .tick: tick()
        case .perform(let action, let caller): perform(action, for: caller)
        case .callerCancelled(let caller): cancelAction(caller)
        case .logIn: logIn()
        case .cancelLogIn: cancelLogIn()
        case .logOut(let scope): logOut(scope)
        case .refreshNow:
            refreshNow()
            stepFeed(.dialNow)
        case .setPaused(let extent, let cause): setPaused(extent, by: cause)
        case .tryVault: tryVault()
        case .experiment(let experiment): begin(experiment)
        case .introspect: introspect()
        case .clockShifted(let seconds): emit(ClockShifted(seconds: seconds))
        case .faultsObserved(let change): faultsObserved(change)
        case .profileEdited(let configuration): profileEdited(configuration)
        case .sendRequest(let id, let call, let why, let deadline):
            startRequest(id: id, call, why: why, deadline: deadline)
        case .tokenNeeded(let waiter, let deadline, let refused):
            needToken(waiter: waiter, deadline: deadline, inPlaceOf: refused)
        case .waiterCancelled(let waiter): cancelWaiter(.caller(waiter))
        case .served(let exchange): served(exchange)
        case .requestCancelled(let request): cancelWaiter(.request(request))
        case .feedRejected(let generation): feedRejected(generation)
        case .recordLoaded(let id, let result): recordLoaded(id, result)
        case .flightLockHeld(let id, let holder): flightLockHeld(id, by: holder)
        case .flightLocked(let id, let result): flightLocked(id, result)
        case .flightRefused(let id, let problem):
            flightLocked(id, .success(false), because: RefreshFailure(.vault(problem)))
        case .committed(let id, let result): committed(id, result)
        case .vaultChecked(let id, let problem): vaultChecked(id, problem)
        case .authorizationPushed(let id, let exchange): authorizationPushed(id, exchange)
        case .authorizationPrompted(let id, let url, let isOpened):
            authorizationPrompted(id, url: url, isOpened: isOpened)
        case .authorizationStrayed(let id, let problem): authorizationStrayed(id, problem)
        case .authorizationEnded(let id, let result): authorizationEnded(id, result)
        case .deviceAuthorized(let id, let exchange): deviceAuthorized(id, exchange)
        case .loginEnded(let id, let exchange): loginEnded(id, exchange)
        case .refreshEnded(let id, let exchange): refreshEnded(id, exchange)
        case .protectedEnded(let id, let exchange): protectedEnded(id, exchange)
        case .questionEnded(let id, let exchange): questionEnded(id, exchange)
        case .revocationEnded(let id, let exchange): revocationEnded(id, exchange)
        case .probed(let id, let reached): probed(id, reached: reached)
        case .vaultChanged: storage.mustReadAgain = true
        case .feed(let input): stepFeed(input)
        }
    }

    private mutating func faultsObserved(_ change: FaultsChange) {
        guard change.active != faults else { return }
        faults = change.active
        emit(change)
    }

    /// Decides by an edited profile from now on; a renewal that is in progress ends as it began.
    private mutating func profileEdited(_ new: SessionConfiguration) {
        let renewal = configuration.renewal
        constants = Constants(new)
        emit(new.capabilities)
        guard new.renewal != renewal, state == .fresh, let session = live,
            let old = session.schedule, let refreshAt = schedule(session.pair)?.refreshAt
        else { return }
        live?.schedule = RenewalSchedule(refreshAt: refreshAt, usableUntil: old.usableUntil)
        timers[.refreshAt] = max(refreshAt, clock.now)
    }

    private mutating func tick() {
        runDueTimers()
        if let due = feedDeadline, due <= clock.now { stepFeed(.tick) }
    }
}

// MARK: - What others see

extension ClientMachine {
    var state: SessionState { stage.state }

    var flags: SessionFlags {
        var flags = SessionFlags()
        flags.pauses = pauses
        flags.unsaved = storage.unsaved
        flags.breakerOpenUntil = breaker.openUntil
        return flags
    }

    /// The pair in use, or `nil` if there is no session.
    var held: SessionPair? { stage.held?.ledger.pair }

    /// When the pair in use is renewed, or `nil` if its expiry is unknown.
    var schedule: RenewalSchedule? { stage.held?.schedule }

    /// Whether the access token in use may be used now.
    func isTokenUsable(at now: Instant) -> Bool {
        stage.held?.isUsable(at: now) ?? false
    }

    /// Whether the pair in use can be renewed, or replaced without the user.
    var canRenew: Bool {
        guard !configuration.renewsByLogin, let held else { return true }
        return held.tokens.refresh != nil && !held.hasRefreshEnded(at: clock.now)
    }

    /// The urgency of the login or the renewal that waits for its turn.
    var flightUrgency: FlightUrgency {
        if !users.waiters.isEmpty { return .awaited }
        guard held != nil else { return .login }
        return .beforeEnd(schedule?.usableUntil ?? clock.now)
    }

    var offset: ServerOffset? { server.offset }
    var roundTrip: Double { server.roundTrip }
}

// MARK: - The feed

extension ClientMachine {
    /// Passes an order of the session to the feed.
    mutating func orderFeed(_ order: FeedOrder) {
        stepFeed(.order(order))
    }

    /// Applies an input to the feed.
    mutating func stepFeed(_ input: FeedInput) {
        guard let feedEffects = feed?.handle(input, at: clock.now) else { return }
        feedDeadline = feed?.nextDeadline
        feedToken = feed?.token
        for effect in feedEffects {
            switch effect {
            case .perform(let operation): effects.append(.feed(operation))
            case .tokenRejected(let generation):
                caused.append(.feedRejected(generation: generation))
            case .emit(let event):
                emit(event)
                observeForExperiment(event)
            }
        }
    }
}
