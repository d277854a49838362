import Basics
import Dispatch
import Terminal
import UI

/// The content of a screen, and the inputs that change it.
@MainActor
protocol ScreenContent<Input>: AnyObject {
    /// Inputs beside the events of the terminal.
    associatedtype Input: Sendable
    associatedtype Ending

    /// Processes what has arrived since the last frame; nothing, before the first one.
    ///
    /// - Returns: The end of the screen, or `nil` if it goes on.
    func process(_ items: [Inbox<Input>.Item]) async throws -> Ending?

    func frame(columns: Int, rows: Int) -> ScreenFrame
}

/// A picture of a moment.
struct ScreenFrame {
    let grid: Grid
    let theme: Theme
    /// When it changes without input, or `nil` if it does not.
    let nextChange: Instant?
}

/// Brings a content what arrives, and shows its frames, until it ends.
@MainActor
final class ScreenLoop<Input: Sendable> {
    /// The minimum time between frames that are not urgent; a key press is shown at once.
    private let frameGap = Duration.milliseconds(33)

    let screen: TerminalScreen
    let inbox = Inbox<Input>()
    private let time: any Timekeeper
    /// Rings for the next frame without the detour over a thread of the pool.
    private let ticker = DispatchSource.makeTimerSource(queue: .main)
    private var lastFrame: Instant?

    /// - Throws: `CommandFailure` if the terminal does not support a screen.
    init(in environment: LiveEnvironment, hasMouse: Bool) throws(CommandFailure) {
        // A source that was never activated must not be released.
        ticker.setEventHandler { [inbox] in inbox.requestFrame() }
        ticker.activate()
        time = environment.time
        do throws(TerminalError) {
            screen = try TerminalScreen(environment: environment.variables, hasMouse: hasMouse)
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
    }

    /// - Returns: The end of the content, or `nil` if the calling task was cancelled.
    func run<Content: ScreenContent<Input>>(_ content: Content) async throws -> Content.Ending? {
        let terminalEvents = screen.events
        let pump = Task { [inbox] in for await events in terminalEvents { inbox.put(events) } }
        let release = Task { [time] in await UnusedMemory.release(by: time) }
        defer {
            release.cancel()
            pump.cancel()
            ticker.cancel()
            screen.close()
        }
        if let ending = try await content.process([]) { return ending }
        paint(content)
        for await _ in inbox.rings {
            let (items, isUrgent) = inbox.takeAll()
            if let ending = try await content.process(items) { return ending }
            let due = lastFrame.map { $0 + frameGap } ?? time.now
            guard isUrgent || due <= time.now else {
                inbox.hold()
                arm(at: due)
                continue
            }
            paint(content)
        }
        return nil
    }

    private func paint(_ content: some ScreenContent<Input>) {
        let frame = content.frame(columns: screen.size.columns, rows: screen.size.rows)
        screen.show(frame.grid, theme: frame.theme)
        lastFrame = time.now
        if let next = frame.nextChange { arm(at: next) }
    }

    /// Wakes the loop at `instant`; an earlier request is replaced.
    private func arm(at instant: Instant) {
        let rest = max(.zero, instant - time.now)
        ticker.schedule(deadline: .now() + .nanoseconds(Int(rest.nanoseconds)))
    }
}
