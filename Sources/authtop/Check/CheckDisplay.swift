import Basics
import Observer
import Terminal
import UI

/// A check on the screen while it runs, until the user leaves.
@MainActor
final class CheckDisplay: ScreenContent {
    enum Input: Sendable {
        case machine(CheckMachine)
        case over(Result<CheckReport, any Error>)
    }

    /// The end of a check.
    enum Ending {
        case report(CheckReport)
        /// The user has stopped it; this many of its sessions live on.
        case stopped(CheckReport, left: Int)
    }

    private let screen: TerminalScreen
    private let time: any Timekeeper
    private let start: Instant
    private let stop: AsyncStream<Void>.Continuation
    private let theme: Theme
    private let isASCII: Bool
    private var state: CheckScreen
    private var report: CheckReport?

    private init(
        _ run: CheckRun,
        title: String,
        on screen: TerminalScreen,
        stop: AsyncStream<Void>.Continuation
    ) throws {
        let environment = run.environment
        let defaults = try environment.screenDefaults()
        let wantsColor = (environment.variables["NO_COLOR"] ?? "").isEmpty
        self.screen = screen
        self.stop = stop
        time = environment.time
        start = environment.time.now
        theme = wantsColor && screen.colors > 0 ? defaults.theme : .plain
        isASCII = defaults.isASCII || !screen.isUTF8
        state = CheckScreen(title: title, machine: run.machine, keys: defaults.keys)
    }

    /// Runs a check until its end, or until the user stops it.
    ///
    /// - Throws: `CommandFailure` if the terminal does not support a screen; if the network cannot
    ///   be used.
    static func show(_ run: CheckRun, title: String) async throws -> Ending {
        var run = run
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        run.watchesSignals = false
        run.stops = stops
        let loop = try ScreenLoop<Input>(in: run.environment, hasMouse: false)
        let display = try CheckDisplay(run, title: title, on: loop.screen, stop: stop)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [run, inbox = loop.inbox] in
                do {
                    let report = try await run.report { machine, _ in
                        inbox.put(.machine(machine), isUrgent: false)
                    }
                    inbox.put(.over(.success(report)))
                } catch {
                    inbox.put(.over(.failure(error)))
                }
            }
            defer { group.cancelAll() }
            return try await loop.run(display) ?? display.ending
        }
    }

    func process(_ items: [Inbox<Input>.Item]) throws -> Ending? {
        if report == nil { state.elapsed = time.now.seconds(since: start) }
        for item in items {
            switch item {
            case .input(.machine(let machine)): state.machine = machine
            case .input(.over(let result)):
                report = try result.get()
                // There is nothing to look at.
                if report?.failure != nil || state.isStopping { return ending }
            case .terminal(.interrupted(let signal)):
                screen.close()
                ProgramExit.leave(128 + signal)
            case .terminal(.key(let key)):
                switch state.perform(key) {
                case nil: if state.isStopping { stop.yield() }
                case .leave: return ending
                case .suspend: screen.suspend()
                case .redraw: screen.redraw()
                }
            case .terminal(.pasted(let text)): state.paste(text)
            case .terminal(.mouse), .terminal(.focus), .terminal(.ground),
                .terminal(.resized), .terminal(.resumed):
                break
            }
        }
        return nil
    }

    func frame(columns: Int, rows: Int) -> ScreenFrame {
        let grid = state.render(columns: columns, rows: rows)
        return ScreenFrame(
            grid: isASCII ? grid.inASCII : grid,
            theme: theme,
            nextChange: report == nil ? time.now + .seconds(1) : nil
        )
    }

    private var ending: Ending {
        guard let report, !state.isStopping || state.machine.isOver && !state.machine.isStopped
        else { return .stopped(state.machine.report, left: state.machine.openSessions) }
        return .report(report)
    }
}
