import Dashboard
import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping
import Tokens
import Vaults

/// One session that a run watches, and what the program keeps of it.
struct WatchedSession: Sendable {
    let id: SessionID
    let profile: String
    let dialect: Dialect
    let vault: any Vault
    let source: any SessionSource
    /// The same as a client's own session, for what this program stores and counts of it.
    private let store: SessionStore
    /// What a person types in the dashboard.
    let typed: TypedCredentials
    /// What the dashboard's form asks for, and what of it is at hand.
    let credentialFields: [CredentialField]
    /// Of the built-in backend, as a person asked for them.
    let faults: [String]
    /// What is kept of the profile; `nil`: nothing.
    let localData: ProfileData?

    /// What a session is made of, before there is a network.
    struct Plan: Sendable {
        let id: SessionID
        let profile: String
        var dialect: Dialect
        let origin: BackendOrigin
        let vault: any Vault
        let credentials: FixedCredentials
        /// Where each of them comes from, as text.
        var credentialOrigins: [String: String] = [:]
        var faults: [String] = []
        let fingerprinter: Fingerprinter
        /// Seconds between automatic protected requests, or `nil` for none.
        let requestEvery: Double?
        let seed: UInt64
        var localData: ProfileData?
        /// What the session begins with, in place of a login.
        var imported: IssuedTokens?
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
        faults = plan.faults
        localData = plan.localData
        store = SessionStore(
            session: plan.id,
            profile: plan.profile,
            dialect: plan.dialect,
            baseURL: plan.origin.description,
            requestEvery: plan.requestEvery,
            imported: plan.imported,
            random: SeededGenerator(seed: plan.seed),
            environment: SessionEnvironment(
                time: environment.time,
                transport: network.tokenTransport(to: plan.origin),
                feed: try network.feedTransport(to: plan.origin),
                vault: plan.vault,
                credentials: typed.over(plan.credentials),
                fingerprinter: plan.fingerprinter
            )
        )
        source = store
    }

    /// Does what a person asks, and remembers a request that they wrote.
    func perform(_ command: SessionCommand) async {
        await source.perform(command)
        guard case .send(.custom(let request)) = command else { return }
        await localData?.requests.add(.init(method: request.method, path: request.path))
    }

    /// Keeps what is counted and logged, until the store ends; and erases it with a logout where
    /// the profile says so.
    ///
    /// - Parameters:
    ///   - events: All of the session.
    ///   - log: Where what happens is written down; `nil`: nowhere.
    ///   - time: The present.
    ///   - notify: Told what was erased, as text.
    func keepRecords(
        of events: AsyncStream<SessionEvent>,
        log: EventLog?,
        time: any Timekeeper,
        notify: (String) -> Void = { _ in }
    ) async {
        guard localData != nil || log != nil else { return }
        var keeper = localData.map {
            StatisticsKeeper(file: $0.statistics, store: store, time: time)
        }
        var eraser = dialect.policy.erasesOnLogout ? localData.map(LogoutEraser.init) : nil
        for await event in events {
            log?.note(event)
            await keeper?.note(event)
            guard let eraser = eraser?.note(event) else { continue }
            keeper?.forget()
            await store.flushWrites()
            notify(await eraser.erase())
        }
        keeper?.write()
    }

    /// How it is shown.
    var dashboardSession: DashboardSession {
        DashboardSession(
            id: id,
            credentials: credentialFields,
            faults: faults,
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
