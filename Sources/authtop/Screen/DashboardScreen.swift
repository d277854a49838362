import Basics
import Model
import Platform
import Terminal
import UI

/// Inputs of a dashboard beside the keys.
enum DashboardInput: Sendable {
    case events([SessionEvent])
    case message(DashboardMessage)
    case ended(RunEnd)
}

/// The sessions behind a dashboard: those that run, or those of a recording.
@MainActor
protocol DashboardSource: AnyObject, Sendable {
    /// The moment that is shown.
    var moment: Moment { get }

    /// Goes on to the present, and returns what the dashboard has to know of it.
    func advance() -> [DashboardMessage]
    /// Keeps events that the dashboard has received.
    func record(_ events: [SessionEvent])
    /// Performs a command, and returns what the dashboard has to know of it at once.
    func perform(_ command: DashboardCommand) async -> [DashboardMessage]
    /// Returns the events to write to a file; the stamp is a part of its name.
    func recordingCopy(stamp: String) -> RecordingCopy
    /// Returns what was learned of a backend, or `nil` if its traffic is unknown.
    func profileCopy(stamp: String) async -> ProfileCopy?
    /// Returns the file of a session's profile, or `nil` if it is a part of the program.
    func profileFile(of id: SessionID) -> String?
    /// Returns when the picture of a moment changes without input, or `nil` if it does not.
    func nextChange(of state: DashboardState, after moment: Moment) -> Instant?
}

/// The dashboard of sessions that run, or of a recording.
@MainActor
final class DashboardScreen: ScreenContent {
    private let source: any DashboardSource
    private let screen: TerminalScreen
    private let inbox: Inbox<DashboardInput>
    private let environment: LiveEnvironment
    private let defaults: ScreenDefaults
    /// How the terminal shows a notification, or `nil` if it does not.
    private let way: TerminalNotification?
    private let editor: ProfileEditor
    private var state: DashboardState

    init(
        of source: any DashboardSource,
        on loop: ScreenLoop<DashboardInput>,
        defaults: ScreenDefaults,
        in environment: LiveEnvironment,
        announcing way: TerminalNotification? = nil,
        state: DashboardState
    ) {
        self.source = source
        screen = loop.screen
        inbox = loop.inbox
        self.defaults = defaults
        self.way = way
        self.environment = environment
        editor = ProfileEditor(on: loop.screen, variables: environment.variables)
        self.state = state
        screen.asksForGround = state.followsGround
        resize()
    }

    func process(_ items: [Inbox<DashboardInput>.Item]) async throws -> RunEnd? {
        let end: RunEnd?
        do {
            end = try await take(items)
        } catch {
            await editor.end()
            throw error
        }
        if end != nil { await editor.end() }
        return end
    }

    private func take(_ items: [Inbox<DashboardInput>.Item]) async throws -> RunEnd? {
        for message in source.advance() {
            if let end = await update(message) { return end }
        }
        for item in items {
            switch item {
            case .terminal(let event):
                if let end = await handle(event) { return end }
            case .input(.events(let events)):
                source.record(events)
                if let end = await update(.events(events)) { return end }
            case .input(.message(let message)):
                if let end = await update(message) { return end }
            case .input(.ended(.abruptError)):
                throw CommandFailure(.notSo, "ended by an error, as asked")
            case .input(.ended(let end)): return end
            }
        }
        return nil
    }

    /// The layout in which the user leaves it, or `nil` if it is the usual one.
    var layout: LayoutFile.Layout? {
        state.layout.map { LayoutFile.Layout(pane: $0.pane, isZoomed: $0.isZoomed) }
    }

    func frame(columns: Int, rows: Int) -> ScreenFrame {
        let moment = source.moment
        return ScreenFrame(
            grid: state.render(size: (columns, rows), now: moment),
            theme: state.theme,
            nextChange: source.nextChange(of: state, after: moment)
        )
    }

    private func handle(_ event: TerminalEvent) async -> RunEnd? {
        switch event {
        case .interrupted(let signal): return .interrupted(signal: signal)
        case .resized: resize()
        case .resumed:
            resize()
            let offset = defaults.utcOffsetSeconds(in: environment)
            return await update(.resumed(utcOffsetSeconds: offset))
        case .key(let key): return await update(.key(key))
        case .mouse(let event): return await update(.mouse(event))
        case .pasted(let text): return await update(.pasted(text))
        case .focus(let isIn): return await update(.background(!isIn))
        case .ground(let isLight): return await update(.ground(isLight ? .light : .dark))
        }
        return nil
    }

    private func resize() {
        _ = state.update(.resized(columns: screen.size.columns, rows: screen.size.rows))
    }

    private func update(_ message: DashboardMessage) async -> RunEnd? {
        for command in state.update(message) {
            if let end = await perform(command) { return end }
        }
        return nil
    }

    private func perform(_ command: DashboardCommand) async -> RunEnd? {
        switch command {
        case .redraw: screen.redraw()
        case .ring: screen.ring()
        case .announce(let text): if let way { screen.announce(text, by: way) }
        case .suspend: screen.suspend()
        case .copy(let copied): return await update(.notice(copied.message(screen.copy(copied))))
        case .writeRecording:
            let copy = source.recordingCopy(stamp: stamp)
            write { copy.write() }
        case .writeProfile:
            write { [source, stamp] in
                await source.profileCopy(stamp: stamp)?.write()
                    ?? .notice(
                        "not written: this recording has events, and not the traffic itself",
                        isWarning: true
                    )
            }
        case .editProfile(let id):
            guard let file = source.profileFile(of: id) else {
                let advice = "authtop profiles init writes one"
                let text = "\(id) is a part of the program, and no file: \(advice)"
                return await update(.notice(text, isWarning: true))
            }
            editor.open(file) { [inbox] message in
                inbox.put(.message(.notice(message, isWarning: true)))
            }
        case .quit: return .quit
        case .quitAtOnce: return .quitAtOnce
        case .perform, .faults, .beginExperiment, .stopExperiment, .shiftClock, .logInWith,
            .playback, .lock, .unlock:
            for message in await source.perform(command) {
                if let end = await update(message) { return end }
            }
        }
        return nil
    }

    /// The present as a part of a file's name.
    private var stamp: String {
        ClockFormatter(utcOffsetSeconds: state.configuration.utcOffsetSeconds)
            .stamp(environment.time.moment.wall)
    }

    /// Writes a file outside the loop, because it takes time.
    private func write(_ body: @escaping @Sendable () async -> DashboardMessage) {
        Task.detached { [inbox] in inbox.put(.message(await body())) }
    }
}
