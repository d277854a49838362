import Backend
import Basics
import FoundationEssentials
import Model
import Profiles
import Synchronization

/// The state of the sandbox, protected by a lock.
///
/// A lock and not an actor, because whether a feed may open is decided on the connection's event
/// loop, before anything else of that connection is read.
final class SandboxCore: Sendable {
    struct State: Sendable {
        var backend: AuthBackend
        var faultController: FaultController
        var random: SeededGenerator
        var feeds = FeedRegister()
        /// The upgrades that a fault answers, by the connection's channel: the gate decides, and
        /// the responder carries the decision out.
        var answeredUpgrades: [ObjectIdentifier: SandboxExchange] = [:]
    }

    let routes: SandboxRoutes
    let timekeeper: any Timekeeper
    let feed: FeedSettings
    let scheduleSeed: UInt64?
    private let fingerprinter: Fingerprinter
    let locked: Mutex<State>

    init(
        configuration: SandboxConfiguration,
        dialects: [Dialect],
        prefixed: [Dialect],
        timekeeper: any Timekeeper,
        seed: UInt64,
        fingerprinter: Fingerprinter
    ) {
        routes = SandboxRoutes(
            dialects: (dialects + prefixed).map { ServedDialect($0, configuration: configuration) },
            prefixed: Set(prefixed.map(\.name)),
            primary: configuration.primary,
            trust: RequestTrust(configuration)
        )
        self.timekeeper = timekeeper
        self.fingerprinter = fingerprinter
        feed = configuration.feed
        scheduleSeed = configuration.faultSchedule
        var random = SeededGenerator(seed: seed)
        let backend = AuthBackend(accounts: configuration.accounts, seed: random.next())
        let faultController = FaultController(configuration.faults.filter { $0.delay == 0 })
        locked = Mutex(State(backend: backend, faultController: faultController, random: random))
    }

    /// The server's clock, in seconds since 1970.
    var now: Double { timekeeper.wall.timeIntervalSince1970 }

    /// Returns the dialect of a request, and its purpose.
    func route(_ request: WireRequest) -> SandboxRoutes.Route {
        routes.route(request) { recognized in
            locked.withLock { $0.backend.issuer(ofTokensIn: recognized) }
        }
    }

    /// Runs the first half of an exchange; see `AuthBackend.begin`.
    func begin(_ request: RecognizedRequest, in served: ServedDialect) -> SandboxExchange {
        locked.withLock { $0.begin(request, in: served) }
    }

    /// Runs the second half of an exchange, and closes the feeds whose session it ended.
    func finish(_ pendingExchange: SandboxExchange, in served: ServedDialect) -> BackendExchange {
        let now = now
        return locked.withLock { state in
            var finished = pendingExchange.exchange
            let endings = state.backend.endings
            state.backend.finish(
                &finished,
                writing: served.dialect.answer,
                in: served.policy,
                under: pendingExchange.faults,
                drawing: &state.random,
                at: now
            )
            if state.backend.endings != endings { state.closeOrphans() }
            return finished
        }
    }

    /// Names the session that a login began by the program that sent its request.
    func name(sessionOf exchange: BackendExchange, by request: WireRequest) {
        guard case .loginIssued(let facts)? = exchange.answer,
            let userAgent = request.header("User-Agent")
        else { return }
        locked.withLock { $0.backend.name(sessionOf: facts, by: userAgent) }
    }

    /// Forgets the sessions that ended long ago.
    func forgetOver() {
        let now = now
        locked.withLock { $0.backend.forgetOver(at: now) }
    }

    func revoke(session: String) -> Bool {
        let now = now
        return locked.withLock { state in
            guard state.backend.revoke(session: session, at: now) else { return false }
            state.closeOrphans()
            return true
        }
    }

    func state() -> SandboxState {
        let moment = timekeeper.moment
        return locked.withLock { state in
            SandboxState(
                backend: state.backend.state(
                    fingerprints: fingerprinter,
                    at: moment.wall.timeIntervalSince1970
                ),
                feeds: state.feeds.states(at: moment.now),
                sockets: state.feeds.sockets,
                faultsFired: state.faultController.fired
            )
        }
    }
}

extension SandboxCore.State {
    /// Chooses the faults of an exchange, and runs those that precede the backend.
    mutating func begin(_ request: RecognizedRequest, in served: ServedDialect) -> SandboxExchange {
        let faults = faultController.faults(for: ExchangeKind(request), drawing: &random)
        let exchange = backend.begin(request, in: served.policy, under: faults, drawing: &random)
        return SandboxExchange(exchange: exchange, faults: faults)
    }

    /// Closes the sockets of ended sessions with 4401.
    mutating func closeOrphans() {
        for socket in feeds.open where backend.hasEnded(family: socket.family) {
            feeds.order(FeedClose(code: 4401, reason: "the session has ended"), to: socket.id)
        }
    }
}

/// An exchange in progress with the faults that were chosen for it, so that later settings do not
/// affect it.
struct SandboxExchange: Sendable {
    var exchange: BackendExchange
    let faults: [Fault]
}
