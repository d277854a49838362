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

    init(
        _ plan: SessionPlan,
        on network: NetworkContext,
        in environment: LiveEnvironment,
        includedFaults: (@Sendable () -> [String])? = nil
    ) throws {
        self.plan = plan
        self.includedFaults = includedFaults
        store = try plan.store(with: typed.over(plan.credentials), on: network, in: environment)
        faultMonitor = FaultMonitor(
            store,
            control: FaultControl(of: plan.origins, on: network, time: environment.time),
            included: includedFaults,
            time: environment.time
        )
    }

    var id: SessionID { plan.id }

    /// Runs the session, and observes the faults of its sandbox, until the calling task is cancelled.
    func run() async {
        let events = store.events.events(where: FaultMonitor.follows)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await faultMonitor.run(following: events) }
            await store.run()
            group.cancelAll()
        }
    }

    /// The faults of the built-in backend that are on, as the user writes them.
    var faults: [String] { includedFaults?() ?? [] }

    /// Performs a command of the user, and remembers a custom request.
    func perform(_ command: SessionCommand) async {
        await store.perform(command)
        guard case .send(.custom(let request)) = command else { return }
        await plan.localData?.requests.add(.init(method: request.method, path: request.path))
    }

    /// Stores statistics and log lines until the store ends, and erases them after a logout if the
    /// profile requires it.
    ///
    /// - Parameters:
    ///   - events: All events of the session.
    ///   - run: The run, with its log and its recorder.
    ///   - output: Told why the recording stopped, or the log is not complete, and what was erased.
    func keepRecords(
        of events: EventStream,
        in run: SessionRun,
        on output: some RunOutput
    ) async {
        let localData = plan.localData
        guard localData != nil || run.log != nil || run.recorder != nil else { return }
        var keeper = localData.map {
            StatisticsKeeper(file: $0.statistics, store: store, time: run.environment.time)
        }
        var eraser = plan.dialect.policy.erasesOnLogout ? localData.map(LogoutEraser.init) : nil
        for await batch in events.batches {
            for event in batch {
                run.log?.record(event)
                if let problem = run.log?.takeProblem() { output.warn(problem) }
                if let problem = run.recorder?.record(event) { output.warn(problem) }
                await keeper?.record(event)
                guard let eraser = eraser?.observe(event) else { continue }
                keeper?.forget()
                await store.flushWrites()
                output.notify(await eraser.erase())
            }
        }
        keeper?.write()
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
