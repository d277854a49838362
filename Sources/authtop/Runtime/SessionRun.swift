import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping
import Tokens
import Vaults

/// One profile on one backend, watched until something ends it.
struct SessionRun {
    let profile: String
    let dialect: Dialect
    let origin: BackendOrigin
    let vault: any Vault
    let credentials: FixedCredentials
    /// Where each of them comes from, as text.
    var credentialOrigins: [String: String] = [:]
    /// What a person types in the dashboard.
    var typed = TypedCredentials()
    /// Of the built-in backend, as a person asked for them.
    var faults: [String] = []
    let fingerprinter: Fingerprinter
    let requestEvery: Double?
    let display: DisplayOptions
    let environment: LiveEnvironment
    var seed: UInt64
    /// Where what happens is written down; `nil`: nowhere.
    var log: EventLog?
    /// What is kept of the profile; `nil`: nothing.
    var localData: ProfileData?
    /// What the session begins with, in place of a login.
    var imported: IssuedTokens?

    func run(on network: NetworkContext) async throws {
        if let notice = vault.notice { StandardError.write("authtop: \(notice)") }
        let store = SessionStore(
            profile: profile,
            dialect: dialect,
            baseURL: origin.description,
            requestEvery: requestEvery,
            imported: imported,
            random: SeededGenerator(seed: seed),
            environment: SessionEnvironment(
                time: environment.time,
                transport: network.tokenTransport(to: origin),
                feed: try network.feedTransport(to: origin),
                vault: vault,
                credentials: typed.over(credentials),
                fingerprinter: fingerprinter
            )
        )
        let end: RunEnd
        if display.wantsScreen {
            end = try await ScreenRun(store: store, run: self).run()
        } else {
            end = await LineRun(store: store, run: self).run()
        }
        try end.settle(profile: profile, state: await store.state)
    }

    /// Keeps what is counted and logged, until the store ends; and erases it with a logout where
    /// the profile says so.
    ///
    /// - Parameters:
    ///   - store: Whose.
    ///   - events: All of them.
    ///   - notify: Told what was erased, as text.
    func keepRecords(
        of store: SessionStore,
        _ events: AsyncStream<SessionEvent>,
        notify: (String) -> Void = { _ in }
    ) async {
        guard localData != nil || log != nil else { return }
        var keeper = localData.map {
            StatisticsKeeper(file: $0.statistics, store: store, time: environment.time)
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

    /// When `--for` is over.
    var deadline: Instant? {
        display.duration.map { environment.time.now.advanced(bySeconds: $0.seconds) }
    }
}
