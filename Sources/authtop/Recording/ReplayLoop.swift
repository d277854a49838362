import Basics
import Client
import Model
import Observer
import Terminal
import UI

/// Shows a recording in the dashboard, and processes keys, until the user quits.
@MainActor
final class ReplayLoop {
    /// The minimum time between frames while the recording plays.
    private static let frameGap = Duration.milliseconds(16)

    private let recording: Recording
    /// What was seen of an app's traffic, or `nil` if that was not recorded.
    private let observed: ObservedRun?
    private let environment: LiveEnvironment
    private let defaults: ScreenDefaults
    private let time: any Timekeeper
    private let screen: TerminalScreen
    private let inbox = Inbox()
    private var playback: Playback
    private var state: DashboardState
    /// The number of events that the dashboard knows.
    private var shown = 0
    private var ticker: Task<Void, Never>?

    init(
        of run: RecordedRun,
        appearance: AppearanceOptions,
        in environment: LiveEnvironment
    ) throws {
        let recording = run.recording
        self.recording = recording
        observed = run.observed
        self.environment = environment
        defaults = try environment.screenDefaults()
        time = environment.time
        playback = Playback(of: recording)
        do throws(TerminalError) {
            screen = try TerminalScreen(
                environment: environment.variables,
                hasMouse: defaults.hasMouse
            )
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
        state = DashboardState(
            configuration: DashboardConfiguration(
                appearance,
                defaults: defaults,
                hasColour: screen.colors > 0,
                isUTF8: screen.isUTF8,
                in: environment
            ),
            sessions: recording.header.sessions.map {
                DashboardSession(id: $0.id, faults: $0.faults)
            }
        )
    }

    /// - Returns: The signal that ended it, or `nil` if the user quit.
    func run() async -> Int32? {
        let terminalEvents = screen.events
        let pump = Task { [inbox] in
            for await events in terminalEvents { inbox.put(events.map { .terminal($0) }) }
        }
        defer {
            pump.cancel()
            ticker?.cancel()
            screen.close()
        }
        resize()
        paint()
        for await _ in inbox.rings {
            follow()
            for item in inbox.takeAll() {
                if case .message(let message) = item { _ = state.update(message) }
                guard case .terminal(let event) = item else { continue }
                switch event {
                case .interrupted(let signal): return signal
                case .resized: resize()
                case .resumed:
                    _ = state.update(
                        .utcOffset(seconds: defaults.utcOffsetSeconds(in: environment))
                    )
                    resize()
                case .key(let key): if perform(state.update(.key(key))) { return nil }
                case .mouse(let event): _ = state.update(.mouse(event))
                case .pasted(let text): _ = state.update(.pasted(text))
                case .focus: break
                }
            }
            paint()
        }
        return nil
    }

    private func resize() {
        _ = state.update(.resized(columns: screen.size.columns, rows: screen.size.rows))
    }

    /// - Returns: Whether the user quits.
    private func perform(_ commands: [DashboardCommand]) -> Bool {
        for command in commands {
            switch command {
            case .playback(let control):
                playback.perform(control, at: time.now)
                follow()
            case .redraw: screen.redraw()
            case .suspend: screen.suspend()
            case .quit: return true
            case .copy(let copied):
                let message = copied.message(screen.copy(copied))
                _ = state.update(.notice(message))
            case .writeRecording: writeRecording()
            case .writeProfile: writeProfile()
            // The dashboard offers none of these in a replay.
            case .perform, .faults, .shiftClock, .logInWith, .lock, .unlock, .beginExperiment,
                .stopExperiment:
                break
            case .ring: screen.ring()
            }
        }
        return false
    }

    /// Writes the whole recording outside the loop, because it takes time.
    private func writeRecording() {
        let end = recording.end?.endedAt ?? recording.events.last?.moment
        let start = recording.header.startedAt
        let formatter = ClockFormatter(utcOffsetSeconds: state.configuration.utcOffsetSeconds)
        let copy = RecordingCopy(
            recording: recording,
            span: max(0, end?.now.seconds(since: start.now) ?? 0),
            count: recording.events.count,
            stamp: formatter.stamp(time.moment.wall)
        )
        Task.detached { [inbox] in inbox.put(.message(copy.write())) }
    }

    /// Writes what the whole recording shows of a backend, outside the loop.
    private func writeProfile() {
        guard let observed else {
            let message = "not written: this recording has events, and not the traffic itself"
            _ = state.update(.notice(message, isWarning: true))
            return
        }
        let formatter = ClockFormatter(utcOffsetSeconds: state.configuration.utcOffsetSeconds)
        let copy = ProfileCopy(
            traffic: observed.traffic,
            baseURL: observed.baseURL,
            stamp: formatter.stamp(time.moment.wall)
        )
        Task.detached { [inbox] in inbox.put(.message(copy.write())) }
    }

    /// Has the dashboard know the events up to the present position, and no others.
    private func follow() {
        playback.advance(to: time.now)
        if playback.applied < shown {
            state.forgetEvents()
            shown = 0
        }
        if playback.applied > shown {
            _ = state.update(.events(Array(recording.events[shown..<playback.applied])))
            shown = playback.applied
        }
        _ = state.update(.playback(playback))
        _ = state.update(.clock(playback.moment))
    }

    private func paint() {
        follow()
        let moment = playback.moment
        screen.show(state.render(size: screen.size, now: moment), theme: state.theme)
        arm(after: moment)
    }

    /// Wakes the loop when the picture changes next.
    private func arm(after moment: Moment) {
        ticker?.cancel()
        let now = time.now
        guard let event = playback.nextChange(after: now) else { return }
        let clock = state.nextChange(after: moment).map { instant in
            now.advanced(bySeconds: instant.seconds(since: moment.now) / playback.speed)
        }
        let next = max(min(event, clock ?? event), now + Self.frameGap)
        ticker = Task { [time, inbox] in
            guard (try? await time.sleep(until: next)) != nil else { return }
            inbox.put(.frameDue)
        }
    }
}
