import Basics
import CProcess
import Client
import Dispatch
import Model
import Observer
import Platform
import Profiles
import Terminal
import UI

/// Processes keys and events, and shows frames, until the run ends.
@MainActor
final class ScreenLoop {
    /// The minimum time between frames that only events cause; a key press is shown at once.
    private static let frameGap = Duration.milliseconds(33)
    /// When the code that only starting needed gives its memory back: two thirds of all of it.
    private static let startingTime = Duration.seconds(3)

    private let run: SessionRun
    private let inbox: Inbox
    private let screen: TerminalScreen
    private let time: any Timekeeper
    private var state: DashboardState
    private var lastFrame: Instant?
    /// Rings for the next frame without the detour over a thread of the pool.
    private let ticker = DispatchSource.makeTimerSource(queue: .main)
    private let locker: ScreenLocker
    /// The key of the locked screen, and its last use.
    private var screenKey: ScreenKey?
    private var keyUse: Task<Void, Never>?
    private var recent = RecentEvents()
    /// The last request to a sandbox about its faults.
    private var faultUse: Task<Void, Never>?

    init(run: SessionRun, inbox: Inbox) async throws {
        // A source that was never activated must not be released.
        ticker.setEventHandler { inbox.put(.frameDue) }
        ticker.activate()
        self.run = run
        self.inbox = inbox
        let environment = run.environment
        time = environment.time
        locker = ScreenLocker(vaults: run.sessions.map(\.vault), environment: environment)
        if run.lockAfter != nil { try await run.checkKey(of: locker) }
        do throws(TerminalError) {
            screen = try TerminalScreen(
                environment: environment.variables,
                hasMouse: run.defaults.hasMouse && !run.display.noMouse
            )
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
        state = run.dashboard(hasColour: screen.colors > 0, isUTF8: screen.isUTF8)
    }

    func run() async throws -> RunEnd {
        let terminalEvents = screen.events
        let inbox = inbox
        let pump = Task {
            for await events in terminalEvents { inbox.put(events.map { .terminal($0) }) }
        }
        let start = Task { [time] in
            guard (try? await time.sleep(until: time.now + Self.startingTime)) != nil else {
                return
            }
            cp_release_code()
        }
        defer {
            start.cancel()
            pump.cancel()
            ticker.cancel()
            keyUse?.cancel()
            faultUse?.cancel()
            screen.close()
        }
        _ = state.update(.resized(columns: screen.size.columns, rows: screen.size.rows))
        _ = state.update(.clock(time.moment))
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
        if let end = await update(.clock(time.moment)) { return end }
        for item in items {
            switch item {
            case .ended(let end): return end
            case .session(let events):
                for event in events { recent.note(event) }
                if let end = await update(.events(events)) { return end }
            case .frameDue: isUrgent = true
            case .message(let message):
                isUrgent = true
                if let end = await update(message) { return end }
            case .terminal(let event):
                isUrgent = true
                if let end = await handle(event) { return end }
            }
        }
        guard isUrgent || isFrameDue else {
            inbox.holdEvents()
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
            _ = state.update(
                .utcOffset(seconds: run.defaults.utcOffsetSeconds(in: run.environment))
            )
            _ = state.update(.resized(columns: screen.size.columns, rows: screen.size.rows))
            for session in run.sessions {
                await session.perform(.checkClocks)
            }
        case .key(let key): return await update(.key(key))
        case .mouse(let event): return await update(.mouse(event))
        case .pasted(let text): return await update(.pasted(text))
        case .focus(let isIn): return await update(.background(!isIn))
        }
        return nil
    }

    private func update(_ message: DashboardMessage) async -> RunEnd? {
        for command in state.update(message) {
            if let end = await perform(command) { return end }
        }
        return nil
    }

    private func perform(_ command: DashboardCommand) async -> RunEnd? {
        switch command {
        case .perform(let command, let id): await run.session(id)?.perform(command)
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
            for session in run.sessions { await session.perform(.noteClockShift(seconds: seconds)) }
        case .redraw: screen.redraw()
        case .ring: screen.ring()
        case .suspend: screen.suspend()
        // There is no recording to move in.
        case .playback: break
        case .lock: await lock()
        case .unlock(let typed):
            guard let screenKey else { break }
            use { inbox in inbox.put(.message(await screenKey.answer(to: typed))) }
        case .copy(let copied): notify(copied.message(screen.copy(copied)), isWarning: false)
        case .writeRecording: writeRecording()
        case .writeProfile: writeProfile()
        case .quit: return .quit
        }
        return nil
    }

    /// Writes the last minutes outside the loop, because it takes time.
    private func writeRecording() {
        let moment = time.moment
        let sessions = run.sessions.map { Recording.Session(id: $0.id, faults: $0.faults) }
        let formatter = ClockFormatter(utcOffsetSeconds: state.configuration.utcOffsetSeconds)
        let copy = RecordingCopy(
            recording: recent.recording(of: sessions, at: moment),
            span: recent.span(at: moment.now),
            count: recent.count,
            stamp: formatter.stamp(moment.wall)
        )
        Task.detached { [inbox] in inbox.put(.message(copy.write())) }
    }

    /// Writes what the traffic shows of its backend outside the loop, because it takes time.
    private func writeProfile() {
        guard let app = run.app else { return }
        let formatter = ClockFormatter(utcOffsetSeconds: state.configuration.utcOffsetSeconds)
        let stamp = formatter.stamp(time.moment.wall)
        Task.detached { [inbox] in
            let copy = ProfileCopy(
                traffic: await app.store.traffic,
                baseURL: app.routes.routes[0].backend,
                stamp: stamp
            )
            inbox.put(.message(copy.write()))
        }
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

    private func lock() async {
        do throws(VaultProblem) {
            guard let key = try await locker.key() else {
                return notify(ScreenLocker.advice)
            }
            screenKey = key
            _ = state.update(.locked(key.opener))
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
        } catch {
            notify("not locked: \(error.message)")
        }
    }

    private func notify(_ message: String, isWarning: Bool = true) {
        _ = state.update(.notice(message, isWarning: isWarning))
    }

    /// Uses the key outside the loop, because it takes time.
    private func use(_ body: @escaping @Sendable (Inbox) async -> Void) {
        let before = keyUse
        keyUse = Task { [inbox] in
            await before?.value
            await body(inbox)
        }
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

    /// Wakes the loop at `instant`; an earlier request is replaced.
    private func arm(at instant: Instant) {
        let rest = max(.zero, instant - time.now)
        ticker.schedule(deadline: .now() + .nanoseconds(Int(rest.nanoseconds)))
    }
}
