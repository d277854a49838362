import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// The sessions of a run, as the dashboard shows them and acts on them.
@MainActor
final class RunningSessions: DashboardSource {
    private let run: SessionRun
    private let inbox: Inbox<DashboardInput>
    private let locker: ScreenLocker
    /// The key of the locked screen, and its last use.
    private var screenKey: ScreenKey?
    private var keyUse: Task<Void, Never>?
    private var recent = RecentEvents()
    /// The last request to a sandbox about its faults.
    private var faultUse: Task<Void, Never>?

    init(_ run: SessionRun, locker: ScreenLocker, inbox: Inbox<DashboardInput>) {
        self.run = run
        self.locker = locker
        self.inbox = inbox
    }

    /// Gives up what is still asked.
    func cancel() {
        keyUse?.cancel()
        faultUse?.cancel()
    }

    var moment: Moment { run.environment.time.moment }

    func advance() -> [DashboardMessage] { [.clock(moment)] }

    func record(_ events: [SessionEvent]) {
        for event in events { recent.append(event) }
    }

    func profileFile(of id: SessionID) -> String? {
        run.session(id)?.plan.source?.ownFile(in: run.environment)
    }

    func nextChange(of state: DashboardState, after moment: Moment) -> Instant? {
        state.nextChange(after: moment)
    }

    func perform(_ command: DashboardCommand) async -> [DashboardMessage] {
        switch command {
        case .perform(let command, let id):
            let session = run.session(id)
            await session?.perform(command)
            if case .logOut = command, session?.plan.dialect.endsProviderSession == true {
                return [.notice(ProviderLogoutText.left, isWarning: true)]
            }
        case .logInWith(let values, let id):
            let session = run.session(id)
            session?.typed.put(values)
            await session?.perform(.logIn)
        case .faults(let request, let id): ask(request, of: id)
        case .beginExperiment(let experiment, let session):
            await run.app?.store.begin(experiment, with: session)
        case .stopExperiment(let experiment): await run.app?.store.stop(experiment)
        case .shiftClock(let seconds):
            run.environment.clock.shift(to: seconds)
            for session in run.sessions {
                await session.perform(.reportClockShift(seconds: seconds))
            }
        case .lock: return [await lock()]
        case .unlock(let typed):
            guard let screenKey else { break }
            use { inbox in inbox.put(.message(await screenKey.answer(to: typed))) }
        // The screen's own, and those of a recording.
        case .redraw, .ring, .announce, .suspend, .copy, .writeRecording, .writeProfile,
            .editProfile, .quit,
            .quitAtOnce, .playback:
            break
        }
        return []
    }

    func recordingCopy(stamp: String) -> RecordingCopy {
        let moment = moment
        let sessions = run.sessions.map { Recording.Session(id: $0.id, faults: $0.faults) }
        return RecordingCopy(
            recording: recent.recording(of: sessions, at: moment),
            span: recent.span(at: moment.now),
            count: recent.count,
            stamp: stamp
        )
    }

    func profileCopy(stamp: String) async -> ProfileCopy? {
        guard let app = run.app else { return nil }
        return ProfileCopy(
            traffic: await app.store.traffic,
            baseURL: app.routes.routes[0].backend,
            stamp: stamp
        )
    }

    /// Asks the sandbox outside the loop, one request after the other.
    private func ask(_ request: FaultRequest, of id: SessionID) {
        guard let monitor = run.session(id)?.faultMonitor else { return }
        let before = faultUse
        faultUse = Task { [inbox] in
            await before?.value
            inbox.put(.message(.knownFaults(await monitor.perform(request), id)))
        }
    }

    private func lock() async -> DashboardMessage {
        do throws(VaultProblem) {
            guard let key = try await locker.key() else {
                return .notice(ScreenLocker.advice, isWarning: true)
            }
            screenKey = key
            use { inbox in
                do throws(VaultProblem) {
                    try await key.close()
                } catch {
                    // A keyring that cannot be locked would not protect the screen.
                    inbox.put(.message(.unlocked))
                    let message = "not locked: \(error.message); \(ScreenLocker.advice)"
                    inbox.put(.message(.notice(message, isWarning: true)))
                }
            }
            return .locked(key.opener)
        } catch {
            return .notice("not locked: \(error.message)", isWarning: true)
        }
    }

    /// Uses the key outside the loop, because it takes time.
    private func use(_ body: @escaping @Sendable (Inbox<DashboardInput>) async -> Void) {
        let before = keyUse
        keyUse = Task { [inbox] in
            await before?.value
            await body(inbox)
        }
    }
}
