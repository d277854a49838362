import Basics
import Client
import Model
import Platform
import Terminal
import UI

/// The screen of a run.
struct ScreenOutput: RunOutput {
    private let run: SessionRun
    private let loop: ScreenLoop<DashboardInput>
    private let sessions: RunningSessions
    private let dashboard: DashboardScreen

    /// The terminal reports them.
    var signals: SignalWatch? { nil }

    /// - Throws: `CommandFailure` if the terminal does not support a screen, or a screen that locks
    ///   could not be unlocked.
    @MainActor
    init(_ run: SessionRun) async throws {
        let locker = ScreenLocker(
            vaults: run.sessions.map(\.plan.vault),
            environment: run.environment
        )
        if run.lockAfter != nil { try await run.checkKey(of: locker) }
        let way = await run.notifier?.terminal.way(in: run.environment)
        self.run = run
        loop = try ScreenLoop(
            in: run.environment,
            hasMouse: run.defaults.hasMouse && !run.display.noMouse
        )
        sessions = RunningSessions(run, locker: locker, inbox: loop.inbox)
        dashboard = DashboardScreen(
            of: sessions,
            on: loop,
            defaults: run.defaults,
            in: run.environment,
            announcing: way,
            state: run.dashboard(hasColor: loop.screen.colors > 0, isUTF8: loop.screen.isUTF8)
        )
    }

    func put(_ events: [SessionEvent]) -> Bool {
        loop.inbox.put(.events(events), isUrgent: false)
        return true
    }

    func warn(_ message: String) {
        loop.inbox.put(.message(.notice(message, isWarning: true)))
    }

    func notify(_ message: String) {
        loop.inbox.put(.message(.notice(message)))
    }

    func announce(_ notification: Notification) {
        loop.inbox.put(.message(.notification(notification)))
    }

    func end(_ end: RunEnd) {
        loop.inbox.put(.ended(end))
    }

    func result() async throws -> RunResult {
        let inbox = loop.inbox
        let time = run.environment.time
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if let folder = try? run.environment.stateFolder {
                let requests = LockRequests(folder: folder).requests()
                group.addTask { for await _ in requests { inbox.put(.message(.lockRequested)) } }
            }
            if let abruptEnd = run.display.abruptEnd {
                group.addTask {
                    try await time.sleep(until: time.now + .seconds(1))
                    switch abruptEnd {
                    case .crash: fatalError("ended by a crash, as asked")
                    case .error: inbox.put(.ended(.abruptError))
                    }
                }
            }
            let end = try await loop.run(dashboard) ?? .quit
            await sessions.cancel()
            group.cancelAll()
            let ends = run.sessions.map { ($0.id, end) }
            return RunResult(end: end, sessions: Dictionary(uniqueKeysWithValues: ends))
        }
    }
}
