import Backend
package import Basics
package import Client
import Model
import Profiles

/// A server, a network, a vault and the processes over it, on clocks that only this loop moves.
///
/// Single-threaded, and everything it draws comes from one seed: the same seed is the same story.
package final class SimulatedSystem<Client: SimulatedClient> {
    package typealias Making = (SessionConfiguration, Fingerprinter, SeededGenerator) -> Client

    package let scenario: Scenario
    package let making: Making
    let fingerprinter = Fingerprinter(salt: Array(repeating: 7, count: 16))
    let policy: BackendPolicy

    package var now = Instant.origin
    var queue = EventQueue<SimulationEvent>()
    /// For what the server and the network do.
    var random: SeededGenerator
    /// The generator for users and clocks, which is separate so that they do not change the rest.
    var randomness: SeededGenerator
    /// For the feed, which must not disturb the rest either.
    var feedRandom: SeededGenerator
    var clock: SimulatedClock
    var backend: AuthBackend
    /// `nil` if the backend serves no feed.
    var feeds: FeedServer?
    var vault = SimulatedVault()
    var processes: [SimulatedProcess<Client>]
    var outageEnd = Instant.origin
    var suspensions = 0

    /// Sees what happens, and ends the run; `nil` if nothing does.
    private let witness: (any SystemWitness)?
    /// Whether the witness has ended the run.
    private(set) var isStopped = false
    package var steps = 0
    /// The number of new pairs, of logins and renewals.
    package var pairs = 0
    /// The number of renewals with a new refresh token.
    package var rotations = 0
    /// Why the backend refused the last refresh, or `nil` if it did not.
    var lastRefusal: RefreshRefusalCause?

    package init(
        scenario: Scenario,
        seed: UInt64,
        witness: (any SystemWitness)?,
        making: @escaping Making
    ) {
        self.scenario = scenario
        self.making = making
        self.witness = witness
        var source = SeededGenerator(seed: seed ^ 0x5EED)
        random = source.fork()
        randomness = source.fork()
        clock = SimulatedClock(serverOffset: scenario.serverOffset)
        backend = AuthBackend(accounts: Self.accounts, seed: source.next())
        policy = BackendPolicy(
            name: scenario.dialect?.name ?? "simulated",
            credentials: ["username"],
            formats: scenario.dialect?.tokens
                ?? TokenFormats(access: .opaque, refresh: .opaque),
            hasRefreshToken: scenario.hasRefreshToken,
            accessLifetime: scenario.accessLifetime,
            refreshLifetime: scenario.refreshLifetime,
            refreshSlides: scenario.refreshSlides,
            rotation: scenario.behavior,
            reuse: scenario.reuse
        )
        processes = (0..<scenario.processes).map { SimulatedProcess(number: $0) }
        feedRandom = source.fork()
        feeds = scenario.feed.served.map { FeedServer(period: $0.period) }
    }

    /// Whether it has taken all of the scenario's steps, or pairs.
    var hasReachedLimit: Bool { steps >= scenario.stepLimit || pairs >= scenario.pairLimit }

    /// Lives until the scenario's limits are reached or the witness ends it.
    package func run() {
        begin()
        let end = Instant.origin.advanced(bySeconds: scenario.timeLimit)
        while !isStopped, !hasReachedLimit {
            guard let next = queue.popFirst(), next.at <= end else { break }
            now = max(now, next.at)
            happen(next.event)
        }
    }

    func schedule(_ happening: SimulationEvent, in seconds: Double) {
        queue.insert(happening, at: now.advanced(bySeconds: max(0, seconds)))
    }

    private func begin() {
        beginOtherSession()
        for process in processes.indices {
            schedule(.start(process: process), in: random.uniform(0...1))
            schedule(.call(process: process), in: random.wait(mean: scenario.betweenCalls))
            schedule(.request(process: process), in: nextRequest())
        }
        if let mean = scenario.betweenSuspends { schedule(.suspend, in: random.wait(mean: mean)) }
        if let mean = scenario.betweenWallSteps {
            schedule(.wallStep, in: randomness.wait(mean: mean))
        }
        if let mean = scenario.betweenOutages {
            schedule(.outageBegins, in: random.wait(mean: mean))
        }
        if let mean = scenario.betweenUserActions {
            schedule(.userAction, in: randomness.wait(mean: mean))
        }
    }

    /// Begins another session of the first user, which no process uses.
    private func beginOtherSession() {
        let seconds = clock.serverSeconds(at: now)
        let credentials = ["username": Secret("alice")]
        guard let issued = backend.login(credentials, in: policy, at: seconds),
            case .granted(let grant) = backend.access(issued.access, in: policy, at: seconds)
        else { return }
        observe(.otherSession(family: grant.family))
    }

    private func happen(_ happening: SimulationEvent) {
        switch happening {
        case .start(let process): start(process)
        case .tick(let process, let arming):
            guard processes[process].armings == arming else { return }
            processes[process].armedFor = nil
            step(process, .tick)
        case .input(let process, let incarnation, let input):
            deliver(input, to: process, incarnation)
        case .login(let process, let incarnation): logInAgain(process, incarnation)
        case .vaultTouches(let process, let incarnation, let effect):
            guard isAlive(process, incarnation) else { return }
            touchVault(process, effect)
        case .vaultDone(let process, let incarnation, let input):
            guard isAlive(process, incarnation) else { return }
            processes[process].vaultLine.isBusy = false
            deliver(input, to: process, incarnation)
            advanceVaultLine(process)
        case .lockDone(let process, let incarnation, let input):
            guard isAlive(process, incarnation) else { return }
            processes[process].lockLine.isBusy = false
            deliver(input, to: process, incarnation)
            advanceLockLine(process)
        case .lockTimeoutElapses(let process, let incarnation, let operation):
            guard isAlive(process, incarnation) else { return }
            lockWaitTimedOut(process, operation)
        case .requestArrives(let pendingExchange): requestArrives(pendingExchange)
        case .serverDecides(let pendingExchange): serverDecides(pendingExchange)
        case .answerArrives(let pendingExchange): answerArrives(pendingExchange)
        case .dialArrives(let socket): dialArrives(socket)
        case .dialTimeoutElapses(let socket): dialTimeoutElapses(socket)
        case .frameArrives(let socket, let frame): frameArrives(socket, frame)
        case .closeArrives(let socket): closeArrives(socket)
        case .closeTimeoutElapses(let socket): closeTimeoutElapses(socket)
        case .socketIsCut(let socket): socketIsCut(socket)
        case .socketExpires(let socket, let generation): socketExpires(socket, generation)
        case .messageIsDue(let user): messageIsDue(of: user)
        case .suspend: suspendAtRandom()
        case .resume(let process): resume(process)
        case .wallStep: stepWall()
        case .outageBegins: beginOutage()
        case .userAction: performUserAction()
        case .deletion: deleteRecord()
        case .call(let process): call(process)
        case .request(let process): request(process)
        case .cancel(let process, let incarnation, let waiter):
            cancel(process, incarnation, waiter)
        case .logoutMustBeDone(let process, let incarnation, let family, let suspensions):
            guard isAlive(process, incarnation), suspensions == self.suspensions else { return }
            observe(.logoutDue(family: family, stored: vault.record), of: process)
        }
    }

    func isAlive(_ process: Int, _ incarnation: Int) -> Bool {
        processes[process].incarnation == incarnation && processes[process].isAlive
    }

    /// The backend as it is now.
    var server: SimulatedServer {
        SimulatedServer(backend: backend, policy: policy, clock: clock)
    }

    func observe(_ observation: SystemObservation, of process: Int? = nil) {
        guard !isStopped, let witness else { return }
        isStopped = !witness.observe(observation, of: process, at: now)
    }

    func log(_ message: @autoclosure () -> String, by process: Int?) {
        witness?.describe(message(), of: process, at: now)
    }

    /// Whether too much time has passed since the first lost answer to a refresh with a token.
    func isLost(_ token: RefreshToken, longerThan seconds: Double) -> Bool {
        guard let first = witness?.firstLoss(of: token) else { return false }
        return now.seconds(since: first) >= seconds
    }

    private static var accounts: [Account] {
        ["alice", "bob"].enumerated().map { index, name in
            Account(
                user: BackendUser(id: index + 1, email: "\(name)@example.com", username: name),
                credentials: ["username": Secret(name)]
            )
        }
    }
}
