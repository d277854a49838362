import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Basics
@testable import Client

/// One session machine with a scripted backend and vault, on a clock that jumps from one thing that
/// happens to the next.
final class MachineHarness {
    /// An input that is in progress.
    private struct Letter {
        let at: Instant
        let order: Int
        let write: (Moment) -> SessionInput
    }

    /// A refresh that left.
    struct RefreshSend {
        let at: Double
        let token: RefreshToken
        let cause: RefreshCause?
    }

    private(set) var machine: ClientMachine
    private(set) var moment = Moment(
        now: .origin,
        wall: Date(timeIntervalSince1970: MachineHarness.epoch)
    )
    /// The answers to the next logins before the backend is asked.
    var loginAnswers: [Outcome<LoginResponse>] = []
    /// When logins were sent, in seconds since the beginning.
    private(set) var loginTimes: [Double] = []
    /// The results of logins besides their pair.
    var idToken: IDToken?
    var backend = ScriptedBackend()
    var vault = ScriptedVault()
    var probesSucceed = true

    private(set) var events: [SessionEvent] = []
    private(set) var refreshes: [RefreshSend] = []
    private(set) var logins = 0
    /// The sign-ins that wait for the user's browser, and those that no longer do.
    private(set) var authorizations: [OperationID] = []
    private(set) var cancelledAuthorizations: [OperationID] = []
    /// The grants that the logins were sent with.
    private(set) var grants: [AuthorizationGrant] = []
    /// Requests that were sent again after a refusal.
    private(set) var retries = 0
    private(set) var protectedSends: [(at: Double, token: AccessToken)] = []
    private(set) var revocations: [(at: Double, entry: PendingRevocation)] = []
    private(set) var probes: [Double] = []
    private(set) var questions: [(question: TokenQuestion, token: Secret)] = []
    /// The server's statements about the tokens.
    var statements: [TokenQuestion: StatementResponse] = [:]
    private(set) var resumed: [Int: [Result<TokenGrant, WaitFailure>]] = [:]
    private(set) var finished: [Int: [RequestEnd]] = [:]
    /// The results that callers received, by their numbers.
    private(set) var results: [Int: [ActionResult]] = [:]
    private(set) var lastResult: ActionResult?
    /// The number of the last caller of `perform(_:within:)`.
    var lastCaller = 100
    /// The session's orders to its feed, as far as the feed shows them.
    private(set) var feedOrders: [FeedOrder] = []
    private var feedToken: FeedToken?
    /// The number of times that the feed was dialed.
    private(set) var sockets = 0

    private var letters: [Letter] = []
    private var lastLetter = 0
    private var lastCause: RefreshCause?

    /// The time of the wall clock at the beginning, in seconds since 1970.
    static let epoch = 1_800_000_000.0

    init(configuration: SessionConfiguration = .testing(), seed: UInt64 = 1) {
        machine = ClientMachine(
            configuration: configuration,
            fingerprinter: .testing,
            random: SeededGenerator(seed: seed)
        )
    }

    // MARK: - Time

    /// Seconds since the beginning.
    var now: Double { moment.now.seconds(since: .origin) }

    /// The backend's time: the wall clock's as it would be without any setting.
    private var trueTime: Double { MachineHarness.epoch + now }

    func send(_ input: SessionInput) {
        receive(machine.handle(input, at: moment))
        guard machine.feedToken != feedToken else { return }
        feedToken = machine.feedToken
        guard let feedToken else { return }
        feedOrders.append(
            .token(generation: feedToken.generation, usableUntil: feedToken.usableUntil)
        )
    }

    /// Lets time pass, with everything that happens meanwhile.
    func advance(_ seconds: Double) {
        let end = moment.now.advanced(bySeconds: seconds)
        var steps = 0
        while let next = nextInstant, next <= end {
            go(to: next)
            step()
            steps += 1
            guard steps < 20_000 else {
                Issue.record("the machine does not come to rest: \(path.suffix(8))")
                return
            }
        }
        go(to: end)
    }

    /// Lets time pass until the condition holds, and fails the test if it does not within this many
    /// seconds.
    func advance(
        until condition: (MachineHarness) -> Bool,
        atMost seconds: Double = 600,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let end = moment.now.advanced(bySeconds: seconds)
        var steps = 0
        while !condition(self) {
            guard let next = nextInstant, next <= end, steps < 20_000 else {
                Issue.record("it did not come to that: \(path)", sourceLocation: sourceLocation)
                return
            }
            go(to: next)
            step()
            steps += 1
        }
    }

    /// The answers that are due are given, and no time passes.
    func settle() {
        advance(0)
    }

    /// The machine is suspended: time passes, and nothing runs.
    func sleep(_ seconds: Double) {
        go(to: moment.now.advanced(bySeconds: seconds))
    }

    /// Time passes, and the live clocks tell how much of it the machine was suspended.
    func interrupt(_ seconds: Double, suspended: Double) {
        moment.suspended = .zero
        step()
        sleep(seconds)
        moment.suspended = .seconds(suspended)
    }

    func stepWall(_ seconds: Double) {
        moment.wall.addTimeInterval(seconds)
    }

    private var nextInstant: Instant? {
        let letter = letters.map(\.at).min()
        guard let timer = machine.nextDeadline else { return letter }
        return letter.map { min($0, timer) } ?? timer
    }

    private func go(to instant: Instant) {
        let step = max(0, instant.seconds(since: moment.now))
        moment = Moment(now: max(moment.now, instant), wall: moment.wall.addingTimeInterval(step))
    }

    private func step() {
        let due = letters.enumerated().filter { $0.element.at <= moment.now }
            .min { ($0.element.at, $0.element.order) < ($1.element.at, $1.element.order) }
        guard let due else { return send(.tick) }
        letters.remove(at: due.offset)
        send(due.element.write(moment))
    }

    /// Nothing is in progress.
    var isIdle: Bool { letters.isEmpty }

    private func post(after seconds: Double, _ write: @escaping (Moment) -> SessionInput) {
        lastLetter += 1
        let at = moment.now.advanced(bySeconds: seconds)
        letters.append(Letter(at: at, order: lastLetter, write: write))
    }

    // MARK: - Effects

    private func receive(_ effects: [SessionEffect]) {
        for effect in effects { receive(effect) }
    }

    private func receive(_ effect: SessionEffect) {
        switch effect {
        case .loadRecord(let id):
            let result = vault.load()
            post(after: vault.latency) { _ in .recordLoaded(id, result) }
        case .commit(let id, let commit):
            let result = vault.commit(commit)
            post(after: vault.latency) { _ in .committed(id, result) }
        case .checkVault(let id):
            let problem = vault.writeProblem
            post(after: vault.latency) { _ in .vaultChecked(id, problem) }
        case .lockFlight(let id): lock(id)
        case .unlockFlight(let id): vault.unlock(id)
        case .authorize(let id): authorizations.append(id)
        case .cancelAuthorization(let id): cancelledAuthorizations.append(id)
        case .sendLogin(let id, let grant):
            logins += 1
            if let grant { grants.append(grant) }
            loginTimes.append(now)
            let scripted = loginAnswers.isEmpty ? nil : loginAnswers.removeFirst()
            let outcome = (scripted ?? backend.login(at: trueTime)).map { answer in
                guard let idToken, case .issued(var tokens) = answer else { return answer }
                tokens.idToken = idToken
                return .issued(tokens)
            }
            answer(outcome, status: nil, method: "POST") { .loginEnded(id, $0) }
        case .sendRefresh(let id, let token):
            refreshes.append(RefreshSend(at: now, token: token, cause: lastCause))
            let outcome = backend.refresh(token, at: trueTime)
            answer(outcome, status: nil, method: "POST") { .refreshEnded(id, $0) }
        case .sendProtected(let id, _, let token, let isRetry):
            protectedSends.append((now, token))
            if isRetry { retries += 1 }
            let (outcome, status) = backend.protected(token, at: trueTime)
            let captured = backend.captured
            answer(outcome, status: status, method: "GET") { exchange in
                var exchange = exchange
                exchange.captured = captured
                return .protectedEnded(id, exchange)
            }
        case .ask(let id, let question, let token):
            questions.append((question, token))
            let statement = statements[question] ?? .unusable
            let status = statement == .refused ? 401 : statement == .unusable ? 404 : 200
            answer(.answered(statement), status: status, method: "POST") { .questionEnded(id, $0) }
        case .sendRevocation(let id, let entry):
            revocations.append((now, entry))
            let (outcome, status) = backend.logout(entry)
            answer(outcome, status: status, method: "POST") { .revocationEnded(id, $0) }
        case .probe(let id):
            probes.append(now)
            let reached = probesSucceed && !backend.isUnreachable
            post(after: backend.roundTrip) { _ in .probed(id, reached: reached) }
        case .resume(let waiter, let result): resumed[waiter, default: []].append(result)
        case .finish(let caller, let result):
            results[caller, default: []].append(result)
            lastResult = result
        case .finishRequest(let id, let end): finished[id, default: []].append(end)
        case .feed(.dial(let socket, _, _)): sockets = socket
        case .feed: break
        case .emit(let event):
            if let news = event.kind as? any FeedEvent {
                if news as? FeedStateChanged == FeedStateChanged(.idle) {
                    feedOrders.append(.ended)
                }
                return
            }
            events.append(event)
            if let cause = (event.kind as? RefreshStarted)?.cause { lastCause = cause }
        }
    }

    private func lock(_ id: Int) {
        if let problem = vault.lockProblem {
            return post(after: vault.latency) { _ in .flightLocked(id, .failure(problem)) }
        }
        guard let wait = vault.lockHeldElsewhere else {
            let isLocked = vault.lock(id)
            return post(after: vault.latency) { _ in .flightLocked(id, .success(isLocked)) }
        }
        post(after: 0) { [holder = vault.lockHolder] _ in .flightLockHeld(id, by: holder) }
        let isLocked = wait <= 25 && vault.lock(id)
        post(after: min(wait, 25)) { _ in .flightLocked(id, .success(isLocked)) }
    }

    private func answer<Answer: Sendable>(
        _ outcome: Outcome<Answer>,
        status: Int?,
        method: String,
        _ input: @escaping (CompletedExchange<Answer>) -> SessionInput
    ) {
        let sentAt = moment
        let date = backend.date(at: sentAt.wall)
        post(after: backend.roundTrip) { endedAt in
            input(
                CompletedExchange(
                    outcome: outcome,
                    sentAt: sentAt,
                    endedAt: endedAt,
                    serverDate: date,
                    method: method,
                    target: "/x",
                    status: status
                )
            )
        }
    }
}
