import Basics
import FoundationEssentials
import Platform
import Stores
import Terminal
import UI

/// The sessions of this machine on the screen, live, until the user chooses something.
@MainActor
final class LocalDisplay: ScreenContent {
    enum Input: Sendable {
        case scanned(StoreScan, writers: [String: String])
        case own([LocalRow])
    }

    private let screen: TerminalScreen
    private let time: any Timekeeper
    private var theme: Theme
    private let themes: [Theme]
    private let isASCII: Bool
    private var state: LocalScreen

    private init(
        _ run: LocalRun,
        _ appearance: AppearanceOptions,
        on screen: TerminalScreen
    ) throws {
        let environment = run.environment
        let defaults = try environment.screenDefaults(appearance)
        let wantsColor =
            !appearance.noColor && (environment.variables["NO_COLOR"] ?? "").isEmpty
        self.screen = screen
        time = environment.time
        theme = wantsColor && screen.colors > 0 ? defaults.theme : .plain
        themes = defaults.themes
        screen.asksForGround = defaults.followsGround && theme != .plain
        isASCII = appearance.ascii || defaults.isASCII || !screen.isUTF8
        state = LocalScreen(
            titles: run.titles,
            isWhole: run.includesOwn,
            clock: run.clock,
            home: environment.variables["HOME"],
            keys: defaults.keys,
            notice: run.notice
        )
    }

    /// Shows the sessions, and returns what the user chose.
    ///
    /// - Throws: `CommandFailure` if the terminal does not support a screen.
    static func show(
        _ run: LocalRun,
        _ appearance: AppearanceOptions
    ) async throws -> LocalScreen.Choice {
        let environment = run.environment
        // Meanwhile, the terminal is set up.
        let scanner = run.scanner
        async let first = scan(by: scanner, at: environment.time.moment.wall)
        let loop = try ScreenLoop<Input>(in: environment, hasMouse: false)
        let display = try LocalDisplay(run, appearance, on: loop.screen)
        let (scan, knowing) = await first
        display.state.sessions.take(scan)
        let watcher = StoreWatcher(knowing, time: environment.time) { [inbox = loop.inbox] in
            inbox.put(.scanned($0, writers: $1))
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watcher.run() }
            group.addTask { [inbox = loop.inbox] in
                guard run.includesOwn else { return }
                let rows = await OwnSessions.rows(on: run.connection, in: environment)
                inbox.put(.own(rows))
            }
            defer { group.cancelAll() }
            return try await loop.run(display) ?? .quit
        }
    }

    /// Scans once, away from the main actor, and returns the scanner, which knows the files then.
    @concurrent
    private nonisolated static func scan(
        by scanner: StoreScanner,
        at date: Date
    ) async -> (StoreScan, StoreScanner) {
        var scanner = scanner
        return (scanner.scan(at: date), scanner)
    }

    func process(_ items: [Inbox<Input>.Item]) throws -> LocalScreen.Choice? {
        for item in items {
            switch item {
            case .input(.scanned(let scan, let writers)):
                state.sessions.take(scan, writers: writers)
            case .input(.own(let rows)): state.own = rows
            case .terminal(.interrupted(let signal)):
                screen.close()
                ProgramExit.leave(128 + signal)
            case .terminal(.key(let key)):
                switch state.press(key, at: time.moment.wall) {
                case nil: break
                case .leave(let choice): return choice
                case .suspend: screen.suspend()
                case .redraw: screen.redraw()
                }
            case .terminal(.pasted(let text)): state.paste(text)
            case .terminal(.ground(let isLight)):
                theme = theme.adapted(to: isLight ? .light : .dark, among: themes)
            case .terminal(.mouse), .terminal(.focus), .terminal(.resized),
                .terminal(.resumed):
                break
            }
        }
        return nil
    }

    func frame(columns: Int, rows: Int) -> ScreenFrame {
        let now = time.moment
        let grid = state.render(columns: columns, rows: rows, at: now.wall)
        let next = state.nextChange(after: now.wall)
        return ScreenFrame(
            grid: isASCII ? grid.inASCII : grid,
            theme: theme,
            nextChange: now.now.advanced(bySeconds: next.timeIntervalSince(now.wall))
        )
    }
}
