import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// One session that a run watches, with its local data.
struct WatchedSession: Sendable {
    let id: SessionID
    let profile: String
    let dialect: Dialect
    let vault: any Vault
    let source: any SessionSource
    /// The session's store, for what this program stores and counts.
    private let store: SessionStore
    /// The credentials that the user types into the dashboard.
    let typed: TypedCredentials
    /// The credentials in the dashboard's form, with those that are available.
    let credentialFields: [CredentialField]
    /// Returns the faults of the built-in backend that are on, as the user writes them; `nil` if it
    /// is another backend.
    private let includedFaults: (@Sendable () -> [String])?
    /// Observes and sets the faults of a backend that is the sandbox.
    let faultMonitor: FaultMonitor
    /// Whether the backend is on this machine.
    private let isLocal: Bool
    /// The local data of the profile, or `nil` if none is kept.
    let localData: ProfileData?

    /// The parts of a session, before there is a network.
    struct Plan: Sendable {
        let id: SessionID
        let profile: String
        var dialect: Dialect
        let origins: BackendOrigins
        let vault: any Vault
        let credentials: FixedCredentials
        /// The origin of each credential, as text.
        var credentialOrigins: [String: String] = [:]
        /// The key with which the client authenticates itself, if it has one.
        var signingKey: SigningKey?
        /// Returns the faults of the built-in backend that are on, or `nil` if it is another backend.
        var faults: (@Sendable () -> [String])?
        let fingerprinter: Fingerprinter
        /// Seconds between automatic protected requests, or `nil` for none.
        let requestEvery: Double?
        let seed: UInt64
        var localData: ProfileData?
        /// The tokens that the session starts with, in place of a login.
        var imported: IssuedTokens?
        /// Whether a login starts the user's browser.
        var opensBrowser = true
    }

    init(
        _ plan: Plan,
        on network: NetworkContext,
        in environment: LiveEnvironment
    ) throws {
        let typed = TypedCredentials()
        id = plan.id
        profile = plan.profile
        dialect = plan.dialect
        vault = plan.vault
        self.typed = typed
        credentialFields = plan.credentialFields
        includedFaults = plan.faults
        isLocal = plan.origins.areLoopback
        localData = plan.localData
        store = SessionStore(
            session: plan.id,
            profile: plan.profile,
            dialect: plan.dialect,
            baseURL: plan.origins.base.description,
            requestEvery: plan.requestEvery,
            imported: plan.imported,
            random: SeededGenerator(seed: plan.seed),
            environment: SessionEnvironment(
                time: environment.time,
                transport: FirstLoginTransport(
                    over: network.tokenTransport(to: plan.origins),
                    dialect: plan.dialect,
                    time: environment.time
                ),
                feed: try network.feedTransport(to: plan.origins),
                vault: plan.vault,
                credentials: typed.over(plan.credentials),
                fingerprinter: plan.fingerprinter,
                browser: environment.browser(on: network, opens: plan.opensBrowser),
                idTokens: ProviderKeys(
                    network: network,
                    time: environment.time,
                    security: plan.origins.security
                ),
                prover: environment.prover(signingWith: plan.signingKey)
            )
        )
        source = store
        faultMonitor = FaultMonitor(
            store,
            control: FaultControl(of: plan.origins, on: network, time: environment.time),
            included: plan.faults,
            time: environment.time
        )
    }

    /// Runs the session, and observes the faults of its sandbox, until the calling task is cancelled.
    func run() async {
        let events = source.events.events(where: FaultMonitor.follows)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await faultMonitor.run(following: events) }
            await source.run()
            group.cancelAll()
        }
    }

    /// The faults of the built-in backend that are on, as the user writes them.
    var faults: [String] { includedFaults?() ?? [] }

    /// Performs a command of the user, and remembers a custom request.
    func perform(_ command: SessionCommand) async {
        await source.perform(command)
        guard case .send(.custom(let request)) = command else { return }
        await localData?.requests.add(.init(method: request.method, path: request.path))
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
        guard localData != nil || run.log != nil || run.recorder != nil else { return }
        var keeper = localData.map {
            StatisticsKeeper(file: $0.statistics, store: store, time: run.environment.time)
        }
        var eraser = dialect.policy.erasesOnLogout ? localData.map(LogoutEraser.init) : nil
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
            credentials: credentialFields,
            faults: faults,
            isLocal: isLocal,
            bodyType: dialect.customBodyType,
            pausesInBackground: dialect.policy.pausesInBackground,
            requestHistory: RequestHistory(
                (localData?.requests.entries ?? []).compactMap { entry in
                    let request = try? CustomRequest(method: entry.method, target: entry.path)
                    return request.map { .init(method: $0.method, target: $0.target) }
                }
            )
        )
    }
}
