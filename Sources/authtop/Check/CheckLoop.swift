import Basics
import Observer
import Terminal
import UI

/// Shows a check while it runs, until the user leaves.
@MainActor
final class CheckLoop {
    private enum Item: Sendable {
        case terminal([TerminalEvent])
        case machine(CheckMachine, elapsed: Double)
        case tick
        case over(Result<CheckReport, any Error>)
    }

    private let run: CheckRun
    private let stop: AsyncStream<Void>.Continuation
    private let screen: TerminalScreen
    private let theme: Theme
    private let isASCII: Bool
    private var state: CheckScreen

    /// - Throws: `CommandFailure` if the terminal does not support a screen.
    init(_ run: CheckRun, title: String) throws {
        var run = run
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        run.watchesSignals = false
        run.stops = stops
        self.run = run
        self.stop = stop
        let environment = run.environment
        let defaults = try environment.screenDefaults()
        do throws(TerminalError) {
            screen = try TerminalScreen(environment: environment.variables, hasMouse: false)
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
        let wantsColor = (environment.variables["NO_COLOR"] ?? "").isEmpty
        theme = wantsColor && screen.colors > 0 ? .named(defaults.theme) : .plain
        isASCII = defaults.isASCII || !screen.isUTF8
        state = CheckScreen(title: title, machine: run.machine)
    }

    /// How a check has ended.
    enum Ending {
        case report(CheckReport)
        /// The user has stopped it; so many of its sessions live on.
        case stopped(left: Int)
    }

    /// Runs the check until its end, or until the user stops it.
    ///
    /// - Throws: If the network cannot be used.
    func ending() async throws -> Ending {
        let (items, item) = AsyncStream.makeStream(of: Item.self)
        let terminalEvents = screen.events
        let time = run.environment.time
        let start = time.now
        let run = run
        defer { screen.close() }
        paint()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await events in terminalEvents { item.yield(.terminal(events)) }
            }
            group.addTask {
                do {
                    let report = try await run.report { machine, moment in
                        item.yield(.machine(machine, elapsed: moment.now.seconds(since: start)))
                    }
                    item.yield(.over(.success(report)))
                } catch {
                    item.yield(.over(.failure(error)))
                }
            }
            group.addTask {
                while (try? await time.sleep(until: time.now + .seconds(1))) != nil {
                    item.yield(.tick)
                }
            }
            defer { group.cancelAll() }
            var report: CheckReport?
            for await next in items {
                switch next {
                case .machine(let machine, let elapsed):
                    state.machine = machine
                    state.elapsed = elapsed
                case .tick: if report == nil { state.elapsed = time.now.seconds(since: start) }
                case .over(let result):
                    report = try result.get()
                    // There is nothing to look at.
                    if report?.failure != nil || state.isStopping { return ending(report) }
                case .terminal(let events):
                    for event in events {
                        switch event {
                        case .interrupted(let signal):
                            screen.close()
                            ProgramExit.leave(128 + signal)
                        case .key(.control("z")): screen.suspend()
                        case .key(let key):
                            if state.press(key) { return ending(report) }
                            if state.isStopping { stop.yield() }
                        case .pasted, .mouse, .focus, .resized, .resumed: break
                        }
                    }
                }
                paint()
            }
            return ending(report)
        }
    }

    private func ending(_ report: CheckReport?) -> Ending {
        guard let report, !state.isStopping || state.machine.isOver && !state.machine.isStopped
        else { return .stopped(left: state.machine.openSessions) }
        return .report(report)
    }

    private func paint() {
        let grid = state.render(columns: screen.size.columns, rows: screen.size.rows)
        screen.show(isASCII ? grid.inASCII : grid, theme: theme)
    }
}
