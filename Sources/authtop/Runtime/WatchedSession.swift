import Client
import Model
import Platform
import Profiles
import UI

/// One session that a run watches, with what its user types and the faults of its sandbox.
struct WatchedSession: Sendable {
    let plan: SessionPlan
    let store: SessionStore
    /// The credentials that the user types into the dashboard.
    let typed = TypedCredentials()
    /// Observes and sets the faults of a backend that is the sandbox.
    let faultMonitor: FaultMonitor
    /// Returns the faults of the built-in backend that are on, as the user writes them; `nil` if it
    /// is another backend.
    private let includedFaults: (@Sendable () -> [String])?

    /// - Parameters:
    ///   - plan: The plan of the session.
    ///   - network: The network of the run.
    ///   - environment: The environment.
    ///   - events: The events of the run.
    ///   - includedFaults: Returns the faults of the built-in backend that are on.
    /// - Throws: If the trust roots cannot be used for an origin with TLS.
    init(
        _ plan: SessionPlan,
        on network: NetworkContext,
        in environment: LiveEnvironment,
        events: EventHub,
        includedFaults: (@Sendable () -> [String])? = nil
    ) throws {
        self.plan = plan
        self.includedFaults = includedFaults
        store = try plan.store(
            with: typed.over(plan.credentials),
            on: network,
            in: environment,
            events: events
        )
        faultMonitor = FaultMonitor(
            store,
            control: FaultControl(of: plan.origins, on: network, time: environment.time),
            included: includedFaults,
            time: environment.time
        )
    }

    var id: SessionID { plan.id }

    /// The faults of the built-in backend that are on, as the user writes them.
    var faults: [String] { includedFaults?() ?? [] }

    /// Performs a command of the user, and remembers a custom request.
    func perform(_ command: SessionCommand) async {
        await store.perform(command)
        guard case .send(.custom(let request)) = command else { return }
        await plan.localData?.requests.add(.init(method: request.method, path: request.path))
    }

    /// The session in the dashboard.
    var dashboardSession: DashboardSession {
        DashboardSession(
            id: id,
            credentials: plan.credentials.fields(for: plan.dialect.credentials),
            faults: faults,
            isLocal: plan.origins.areLoopback,
            bodyType: plan.dialect.customBodyType,
            pausesInBackground: plan.dialect.policy.pausesInBackground,
            requestHistory: RequestHistory(
                (plan.localData?.requests.entries ?? []).compactMap { entry in
                    let request = try? CustomRequest(method: entry.method, target: entry.path)
                    return request.map { .init(method: $0.method, target: $0.target) }
                }
            )
        )
    }
}
