import FoundationEssentials
package import Timekeeping
package import Tokens

/// The session's decisions: takes what happened and when, returns what must be done.
///
/// Sans-IO: it reads no clock, sends nothing and waits for nothing. Whoever drives it feeds every
/// end of an effect back, and a `tick` when `nextDeadline` is reached.
package struct SessionMachine: Sendable {
    package let configuration: SessionConfiguration
    let fingerprinter: Fingerprinter
    let retries = RetryPolicy()
    var random: SeededGenerator

    package internal(set) var state = SessionState.cold
    package internal(set) var flags = SessionFlags()
    package internal(set) var held: HeldPair?
    /// The n-th login of this run.
    package internal(set) var session = 0
    /// Counts logins and logouts over all processes; what began before a change is void.
    package internal(set) var epoch = 0
    /// The server's clock against ours.
    package internal(set) var offset: ServerOffset?
    /// Of a refresh, smoothed, in seconds.
    package internal(set) var roundTrip = 1.0

    var flight: Flight?
    /// The lock of a flight that is over but for a write or for an answer that nobody waits for:
    /// another process would else act on what the vault still says.
    var lockUntilSaved: OperationID?
    /// A flight that waits for that write.
    var postponed: PostponedFlight?
    var login: LoginAttempt?
    /// What a login took the place of that is not stored yet: revoked once it is.
    var replaced: [HeldPair] = []
    var waiters: [Waiter] = []
    var requests: [Int: RequestProgress] = [:]
    var outbox = Outbox()
    var breaker = Breaker()
    var tally = FailureTally()
    var wake = WakeWatch()
    /// Waits for a renewal because logging out everywhere needs a live access token.
    var pendingLogoutEverywhere = false
    var vaultFailures = 0
    /// A login, a logout or an ending could not be written: what must be stored for the next write
    /// to make up for it.
    var unsavedCondition: VaultCommit.Condition?
    /// Somebody changed the vault while a flight was under way.
    var mustReadAgain = false
    var noProgressCount = 0

    var timers = TimerSet()
    var operations: [OperationID: Operation] = [:]
    /// Of the commits under way that have one of their own.
    var conditions: [OperationID: VaultCommit.Condition] = [:]
    var lastOperation: OperationID = 0
    var lastFlight = 0
    var lastRecord = 0

    /// Of the call under way.
    var clock = Moment(now: .origin, wall: .init(timeIntervalSince1970: 0))
    var effects: [SessionEffect] = []

    package init(
        configuration: SessionConfiguration,
        fingerprinter: Fingerprinter,
        random: SeededGenerator
    ) {
        self.configuration = configuration
        self.fingerprinter = fingerprinter
        self.random = random
    }

    /// When a `tick` is wanted; nil when nothing is waited for but answers and people.
    package var nextDeadline: Instant? {
        var earliest = timers.earliest
        for waiter in waiters where earliest.map({ waiter.deadline < $0 }) ?? true {
            earliest = waiter.deadline
        }
        return earliest
    }

    /// What happened, and when, in; what must be done, in order, out.
    package mutating func handle(_ input: SessionInput, at moment: Moment) -> [SessionEffect] {
        effects = []
        observeClock(moment)
        switch input {
        case .start: loadAtStart()
        case .tick: runDueTimers()
        case .logIn: logIn()
        case .logOut(let scope): logOut(scope)
        case .refreshNow: refreshNow()
        case .setPaused(let isPaused, let cause): setPaused(isPaused, by: cause)
        case .unlock: tryVault()
        case .sendRequest(let id, let call, let why, let deadline):
            startRequest(id: id, call, why: why, deadline: deadline)
        case .tokenNeeded(let waiter, let deadline): needToken(waiter: waiter, deadline: deadline)
        case .waiterCancelled(let waiter): cancelWaiter(waiter)
        case .feedRejected(let generation): tokenRejected(generation, cause: .feed)
        case .recordLoaded(let id, let result): recordLoaded(id, result)
        case .flightLocked(let id, let result): flightLocked(id, result)
        case .committed(let id, let result): committed(id, result)
        case .vaultChecked(let id, let problem): vaultChecked(id, problem)
        case .loginEnded(let id, let exchange): loginEnded(id, exchange)
        case .refreshEnded(let id, let exchange): refreshEnded(id, exchange)
        case .protectedEnded(let id, let exchange): protectedEnded(id, exchange)
        case .revocationEnded(let id, let exchange): revocationEnded(id, exchange)
        case .probed(let id, let reached): probed(id, reached: reached)
        case .vaultChanged: vaultChanged()
        case .woke(let slept): noteSleep(slept)
        }
        readAgainAfterFlight()
        defer { effects = [] }
        return effects
    }
}

extension SessionMachine {
    /// Who waits for an operation's end.
    enum Operation: Sendable {
        case loadAtStart
        case loadAfterChange
        case lockFlight(Int)
        /// The epoch of the login is beside each of its steps.
        case lockLogin(Int)
        case checkBeforeLogin(Int)
        /// With the failure that the login ends in unless somebody else has logged in.
        case readBeforeLogin(Int, RefreshFailure?)
        case readBeforeFlight(Int)
        /// Another process holds the lock, or it cannot be had: perhaps somebody has renewed.
        case readWithoutLock(Int, RefreshFailure)
        case readAfterRefusal(Int, RefusalNotice)
        case journal(Int)
        case rotation(Int, HeldPair, rotated: Bool)
        case firstPair(HeldPair)
        case tombstone(LogoutEnd)
        case save
        case outbox
        case login(epoch: Int, record: Int)
        case refresh(Int, RefreshSend)
        case protected(request: Int)
        case revocation(PendingRevocation, record: Int)
        case probe
    }

    mutating func begin(_ operation: Operation) -> OperationID {
        lastOperation += 1
        operations[lastOperation] = operation
        return lastOperation
    }

    mutating func nextRecord() -> Int {
        lastRecord += 1
        return lastRecord
    }

    mutating func emit(_ kind: SessionEvent.Kind) {
        effects.append(
            .emit(
                SessionEvent(
                    moment: clock,
                    profile: configuration.profile,
                    session: session,
                    generation: held?.generation ?? 0,
                    kind: kind
                )
            )
        )
    }

    mutating func move(to next: SessionState, why: String) {
        guard next != state else { return }
        let from = state
        state = next
        emit(.stateChanged(from: from, to: next, why: why))
    }

    mutating func jitter() -> Double {
        random.uniform(0...1)
    }
}
