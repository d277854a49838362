import Basics
import Model
import Profiles

/// The parts of every step: operations, events, and changes of the state.
extension ClientMachine {
    /// The purpose of a pending operation.
    enum Operation: Sendable {
        case loadAtStart
        case loadAfterChange
        case lockFlight(Int)
        /// Each step of a login has the login's epoch.
        case authorization(Int)
        case lockLogin(Int)
        case checkBeforeLogin(Int)
        /// With the failure of the login, unless another process has logged in.
        case readBeforeLogin(Int, RefreshFailure?)
        case readBeforeFlight(Int)
        /// The lock is held by another process, which may have renewed, or cannot be acquired.
        case readWithoutLock(Int, RefreshFailure)
        case readAfterRefusal(Int, RefusalNotice)
        case journal(Int)
        case rotation(Int, ScheduledPair, rotated: Bool)
        case refreshTokenOnly(Int, SessionPair, RefreshTokenOnly)
        case firstPair(ScheduledPair)
        case tombstone(LogoutEnd)
        case save
        case outbox
        case login(epoch: Int, record: Int)
        case refresh(Int, RefreshSend)
        case protected(request: Int)
        case question(PendingQuestion)
        case revocation(PendingRevocation, record: Int)
        case experiment(ExperimentSend)
        case probe
    }

    /// The pending operations, by identifier.
    struct OperationTable: Sendable {
        private var entries: [OperationID: Operation] = [:]
        private var last: OperationID = 0

        mutating func begin(_ operation: Operation) -> OperationID {
            last += 1
            entries[last] = operation
            return last
        }

        mutating func end(_ id: OperationID) -> Operation? {
            entries.removeValue(forKey: id)
        }

        func isPending(_ id: OperationID) -> Bool { entries[id] != nil }

        func contains(where matches: (Operation) -> Bool) -> Bool {
            entries.values.contains(where: matches)
        }
    }

    mutating func begin(_ operation: Operation) -> OperationID {
        operations.begin(operation)
    }

    mutating func nextRecord() -> Int {
        lastRecord += 1
        return lastRecord
    }

    mutating func emit(_ kind: any EventKind) {
        effects.append(
            .emit(
                SessionEvent(
                    moment: clock,
                    session: configuration.session,
                    profile: configuration.profile,
                    login: loginCount,
                    generation: held?.generation ?? 0,
                    kind: kind
                )
            )
        )
    }

    /// Observes the server's clock in an exchange, and logs the exchange.
    mutating func logExchange<Answer>(
        _ exchange: CompletedExchange<Answer>,
        id: Int,
        purpose: ExchangePurpose,
        token: Fingerprint? = nil,
        generation: Int = 0,
        why: RequestCause,
        flight: Int? = nil,
        retryOf: Int? = nil,
        tokenIssuedAt: Instant? = nil,
        acceptance: TokenAcceptance? = nil
    ) {
        if let offset = server.observe(exchange) { emit(SkewChanged(offset)) }
        var event = exchange.entry
        event.id = id
        event.purpose = purpose
        event.fingerprint = token
        event.generation = generation
        event.why = why
        event.flight = flight
        event.retryOf = retryOf
        event.tokenAge = tokenIssuedAt.map { exchange.sentAt.now.seconds(since: $0) }
        event.acceptance = acceptance
        acceptances.observe(event, login: loginCount)
        emit(event)
    }

    mutating func move(to next: Stage, why: StateChangeCause) {
        stage = next
        announce(why: why)
    }

    /// Changes the state of the live session.
    mutating func setLiveState(_ liveState: LiveState, why: StateChangeCause) {
        live?.liveState = liveState
        announce(why: why)
    }

    private mutating func announce(why: StateChangeCause) {
        let next = state
        guard next != announced else { return }
        let from = announced
        announced = next
        emit(SessionStateChanged(from: from, to: next, why: why))
    }

    mutating func jitter() -> Double {
        random.uniform(0...1)
    }
}
