import Basics
import Model
import UI

/// The last screen of a run, which is printed.
struct FrameOutput: RunOutput {
    /// The time before the screen is printed, unless `--for` says otherwise.
    static let defaultSeconds = 5.0

    private enum Input: Sendable {
        case events([SessionEvent])
        case end(RunEnd)
    }

    private let run: SessionRun
    private let size: FrameSizeArgument
    private let inputs: AsyncStream<Input>
    private let input: AsyncStream<Input>.Continuation
    let signals: SignalWatch? = SignalWatch()

    init(_ run: SessionRun, size: FrameSizeArgument) {
        self.run = run
        self.size = size
        (inputs, input) = AsyncStream.makeStream()
    }

    func put(_ events: [SessionEvent]) -> Bool {
        input.yield(.events(events))
        return true
    }

    func end(_ end: RunEnd) {
        input.yield(.end(end))
    }

    /// Folds the events until the end, and prints the screen of that moment.
    func result() async throws -> RunResult {
        var state = run.dashboard(hasColor: true, isUTF8: true)
        _ = state.update(.resized(columns: size.columns, rows: size.rows))
        for await input in inputs {
            switch input {
            case .events(let events): _ = state.update(.events(events))
            case .end(let end):
                let now = run.environment.time.moment
                return result(try print(&state, at: now) ? end : .outputClosed, shown: now)
            }
        }
        return result(.timeUp, shown: run.environment.time.moment)
    }

    private func result(_ end: RunEnd, shown: Moment) -> RunResult {
        let ends = run.sessions.map { ($0.id, end) }
        return RunResult(
            end: end,
            sessions: Dictionary(uniqueKeysWithValues: ends),
            shown: shown
        )
    }

    /// - Returns: `false` if the output was closed.
    private func print(
        _ state: inout DashboardState,
        at now: Moment
    ) throws(CommandFailure) -> Bool {
        _ = state.update(.clock(now))
        for key in run.display.frameKeys?.keys ?? [] {
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
        switch run.display.frameFormat ?? .text {
        case .text: return StandardOutput.write(grid.text)
        case .svg: return StandardOutput.write(grid.svg(theme: state.theme))
        }
    }
}
