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
    /// Where the layout is kept, or `nil` if there is no folder for it.
    private let layouts: LayoutFile?

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
        layouts = (try? run.environment.stateFolder).map { LayoutFile(folder: $0) }
        var state = run.dashboard(hasColor: loop.screen.colors > 0, isUTF8: loop.screen.isUTF8)
        if let kept = layouts?.read(run.layoutKind) {
            state.begin(withPane: kept.pane, isZoomed: kept.isZoomed)
        }
        sessions = RunningSessions(run, locker: locker, inbox: loop.inbox)
        dashboard = DashboardScreen(
            of: sessions,
            on: loop,
            defaults: run.defaults,
            in: run.environment,
            announcing: way,
            state: state
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

    /// Takes over what the user edits in the configuration file, as far as a screen that is shown can
    /// change; a mistake changes nothing.
    private func followSettings() async {
        guard let folder = try? run.environment.catalogue.configurationFolder.get() else { return }
        var used = run.defaults
        let (hasColor, isUTF8) = await (loop.screen.colors > 0, loop.screen.isUTF8)
        await FileEdits(in: [folder, "\(folder)/themes"], time: run.environment.time).follow {
            do {
                var edited = try run.environment.screenDefaults(run.display.appearance)
                guard edited != used else { return }
                let isPostponed = edited.hasMouse != used.hasMouse || edited.clock != used.clock
                (edited.hasMouse, edited.clock) = (used.hasMouse, used.clock)
                used = edited
                let new = run.configuration(by: used, hasColor: hasColor, isUTF8: isUTF8)
                loop.inbox.put(.message(.configured(new)))
                if isPostponed {
                    warn("config.toml was edited: a change of mouse or clock needs a new start")
                } else {
                    notify("config.toml was edited")
                }
            } catch {
                warn("not changed: \((error as? CommandFailure)?.message ?? "\(error)")")
            }
        }
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
            group.addTask { await followSettings() }
            let end = try await loop.run(dashboard) ?? .quit
            await sessions.cancel()
            let layout = await dashboard.layout
            await layouts?.write(layout, of: run.layoutKind)
            group.cancelAll()
            let ends = run.sessions.map { ($0.id, end) }
            return RunResult(end: end, sessions: Dictionary(uniqueKeysWithValues: ends))
        }
    }
}

extension SessionRun {
    fileprivate var layoutKind: LayoutFile.Kind { app == nil ? .own : .app }
}
