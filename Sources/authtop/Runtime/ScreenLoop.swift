import Dashboard
import Lifecycle
import Sessions
import Terminal
import Timekeeping

/// Keys and events in, frames and commands out, until something ends it.
@MainActor
final class ScreenLoop {
    /// Between frames that only events asked for; a key is answered at once.
    private static let frameGap = Duration.milliseconds(16)

    private let store: SessionStore
    private let run: SessionRun
    private let inbox: Inbox
    private let screen: TerminalScreen
    private let time: any Timekeeper
    private var state: DashboardState
    private var lastFrame: Instant?
    private var ticker: Task<Void, Never>?

    init(store: SessionStore, run: SessionRun, inbox: Inbox) throws {
        self.store = store
        self.run = run
        self.inbox = inbox
        let environment = run.environment
        time = environment.time
        do throws(TerminalError) {
            screen = try TerminalScreen(environment: environment.variables)
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
        let wantsColour = !run.display.noColor && (environment.variables["NO_COLOR"] ?? "").isEmpty
        state = DashboardState(
            configuration: DashboardConfiguration(
                utcOffsetSeconds: environment.utcOffsetSeconds,
                theme: run.display.isLight ? .light : .dark,
                hasColour: wantsColour && screen.colours > 0,
                isASCII: run.display.ascii || !screen.isUTF8,
                credentials: run.credentialFields,
                faults: run.faults
            )
        )
    }

    func run() async throws -> RunEnd {
        let terminalEvents = screen.events
        let inbox = inbox
        let pump = Task {
            for await event in terminalEvents { inbox.put(.terminal(event)) }
        }
        defer {
            pump.cancel()
            ticker?.cancel()
            screen.close()
        }
        _ = state.update(.resized(columns: screen.size.columns, rows: screen.size.rows))
        paint()
        for await _ in inbox.rings {
            if let end = await handle(inbox.takeAll()) {
                guard end != .abruptError else {
                    throw CommandFailure(.notSo, "ended by an error, as asked")
                }
                return end
            }
        }
        return .quit
    }

    private func handle(_ items: [Inbox.Item]) async -> RunEnd? {
        var isUrgent = false
        for item in items {
            switch item {
            case .ended(let end): return end
            case .session(let event): _ = state.update(.event(event))
            case .frameDue: isUrgent = true
            case .terminal(let event):
                isUrgent = true
                if let end = await handle(event) { return end }
            }
        }
        guard isUrgent || isFrameDue else {
            arm(at: (lastFrame ?? time.now) + Self.frameGap)
            return nil
        }
        paint()
        return nil
    }

    private func handle(_ event: TerminalEvent) async -> RunEnd? {
        switch event {
        case .interrupted(let signal): return .interrupted(signal: signal)
        case .resized(let columns, let rows):
            _ = state.update(.resized(columns: columns, rows: rows))
        case .resumed:
            _ = state.update(.utcOffset(seconds: run.environment.utcOffsetSeconds))
            _ = state.update(.resized(columns: screen.size.columns, rows: screen.size.rows))
        case .key(let key):
            for command in state.update(.key(key)) {
                if let end = await perform(command) { return end }
            }
        }
        return nil
    }

    private func perform(_ command: DashboardCommand) async -> RunEnd? {
        switch command {
        case .renewNow: await store.send(.refreshNow)
        case .logIn: await store.send(.logIn)
        case .logInWith(let values):
            run.typed.put(values)
            await store.send(.logIn)
        case .logOut(let scope): await store.send(.logOut(scope))
        case .setPaused(let isPaused): await store.send(.setPaused(isPaused))
        case .tryVault: await store.send(.unlock)
        case .sendRequest: await store.start(.request, why: "you")
        case .listSessions: await store.start(.sessions, why: "you")
        case .endSession(let id): await store.start(.endSession(id), why: "you")
        case .redraw: screen.redraw()
        case .suspend: screen.suspend()
        case .quit: return .quit
        }
        return nil
    }

    private var isFrameDue: Bool {
        guard let lastFrame else { return true }
        return time.now - lastFrame >= Self.frameGap
    }

    private func paint() {
        let moment = time.moment
        screen.show(state.render(size: screen.size, now: moment), theme: state.theme)
        lastFrame = moment.now
        if let next = state.nextChange(after: moment) { arm(at: next) }
    }

    /// Rings at `instant`, and at no earlier wish.
    private func arm(at instant: Instant) {
        ticker?.cancel()
        ticker = Task { [time, inbox] in
            guard (try? await time.sleep(until: instant)) != nil else { return }
            inbox.put(.frameDue)
        }
    }
}
