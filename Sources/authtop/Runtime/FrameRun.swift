import Basics
import Client
import Model
import Observer
import UI

/// A run whose last screen is printed.
struct FrameRun {
    /// The time before the screen is printed, unless `--for` says otherwise, in seconds.
    private static let defaultDuration = 5.0

    let run: SessionRun
    let size: FrameSizeArgument

    private enum Input: Sendable {
        case event(SessionEvent)
        case end(RunEnd)
    }

    /// - Returns: What ended the run, and the moment that the screen shows.
    func run() async throws -> (end: RunEnd, shown: Moment) {
        let time = run.environment.time
        let signals = SignalWatch()
        let deadline = run.deadline ?? time.now.advanced(bySeconds: Self.defaultDuration)
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for session in run.sessions {
                let source = session.source
                let shown = source.events.events()
                let recorded = source.events.events()
                group.addTask { await session.run() }
                group.addTask { for await event in shown { input.yield(.event(event)) } }
                group.addTask {
                    await session.keepRecords(of: recorded, in: run) {
                        StandardError.write("authtop: \($0)")
                    }
                }
            }
            if let app = run.app {
                let shown = app.store.events.events()
                let recorded = app.store.events.events()
                group.addTask { await app.run() }
                group.addTask { for await event in shown { input.yield(.event(event)) } }
                group.addTask {
                    await app.keepRecords(of: recorded, in: run) {
                        StandardError.write("authtop: \($0)")
                    }
                }
            }
            group.addTask {
                for await signal in signals.signals {
                    input.yield(.end(.interrupted(signal: signal)))
                }
            }
            group.addTask {
                guard (try? await time.sleep(until: deadline)) != nil else { return }
                input.yield(.end(.timeUp))
            }
            let result = try await show(inputs)
            await run.leave()
            group.cancelAll()
            return result
        }
    }

    /// Folds the events until the end, and prints the screen of that moment.
    private func show(
        _ inputs: AsyncStream<Input>
    ) async throws -> (end: RunEnd, shown: Moment) {
        var state = run.dashboard(hasColour: true, isUTF8: true)
        _ = state.update(.resized(columns: size.columns, rows: size.rows))
        for await input in inputs {
            switch input {
            case .event(let event): _ = state.update(.event(event))
            case .end(let end):
                let now = run.environment.time.moment
                return (try print(&state, at: now) ? end : .outputClosed, now)
            }
        }
        return (.timeUp, run.environment.time.moment)
    }

    /// - Returns: `false` if the output was closed.
    private func print(
        _ state: inout DashboardState,
        at now: Moment
    ) throws(CommandFailure) -> Bool {
        _ = state.update(.clock(now))
        for key in run.display.frameKeys.keys {
            let commands = state.update(.key(key))
            guard commands.allSatisfy({ $0 == .redraw }) else {
                throw CommandFailure(
                    .badInput,
                    "--frame-keys: \(KeyText.name(key)) acts on the session or the program; only "
                        + "keys of the screen are possible"
                )
            }
        }
        let grid = state.render(size: (size.columns, size.rows), now: now)
        switch run.display.frameFormat {
        case .text: return StandardOutput.write(grid.text)
        case .svg: return StandardOutput.write(grid.svg(theme: state.theme))
        }
    }
}
