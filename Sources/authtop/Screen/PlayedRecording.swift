import Basics
import Model
import Observer
import Terminal
import UI

/// A recording, as the dashboard shows it and moves in it.
@MainActor
final class PlayedRecording: DashboardSource {
    /// The minimum time between frames while it plays.
    private static let frameGap = Duration.milliseconds(16)

    private let recording: Recording
    /// The observations of an app's traffic, or `nil` if they were not recorded.
    private let observed: ObservedRun?
    private let time: any Timekeeper
    private var playback: Playback
    /// The number of events that the dashboard knows.
    private var shown = 0

    init(_ run: RecordedRun, time: any Timekeeper) {
        recording = run.recording
        observed = run.observed
        self.time = time
        playback = Playback(of: run.recording)
    }

    /// Shows a recording until the user quits.
    ///
    /// - Returns: The end of the run, or `nil` if the calling task was cancelled.
    static func show(
        _ run: RecordedRun,
        appearance: AppearanceOptions,
        in environment: LiveEnvironment
    ) async throws -> RunEnd? {
        let defaults = try environment.screenDefaults(appearance)
        let loop = try ScreenLoop<DashboardInput>(in: environment, hasMouse: defaults.hasMouse)
        let state = DashboardState(
            configuration: DashboardConfiguration(
                appearance,
                defaults: defaults,
                hasColor: loop.screen.colors > 0,
                isUTF8: loop.screen.isUTF8,
                in: environment
            ),
            sessions: run.recording.header.sessions.map {
                DashboardSession(id: $0.id, faults: $0.faults)
            },
            isObserved: run.observed != nil
        )
        let dashboard = DashboardScreen(
            of: PlayedRecording(run, time: environment.time),
            on: loop,
            defaults: defaults,
            in: environment,
            state: state
        )
        return try await loop.run(dashboard)
    }

    var moment: Moment { playback.moment }

    /// Has the dashboard know the events up to the present position, and no others.
    func advance() -> [DashboardMessage] {
        playback.advance(to: time.now)
        var messages: [DashboardMessage] = []
        if playback.applied < shown {
            messages.append(.rewound)
            shown = 0
        }
        if playback.applied > shown {
            messages.append(.events(Array(recording.events[shown..<playback.applied])))
            shown = playback.applied
        }
        return messages + [.playback(playback), .clock(playback.moment)]
    }

    /// Nothing but the terminal sends anything.
    func record(_ events: [SessionEvent]) {}

    func perform(_ command: DashboardCommand) async -> [DashboardMessage] {
        // The dashboard offers no other in a replay.
        guard case .playback(let control) = command else { return [] }
        playback.perform(control, at: time.now)
        return advance()
    }

    /// Returns the whole recording.
    func recordingCopy(stamp: String) -> RecordingCopy {
        let end = recording.end?.endedAt ?? recording.events.last?.moment
        return RecordingCopy(
            recording: recording,
            span: max(0, end?.now.seconds(since: recording.header.startedAt.now) ?? 0),
            count: recording.events.count,
            stamp: stamp
        )
    }

    func profileCopy(stamp: String) -> ProfileCopy? {
        observed.map { ProfileCopy(traffic: $0.traffic, baseURL: $0.baseURL, stamp: stamp) }
    }

    /// A recording has no profile.
    func profileFile(of id: SessionID) -> String? { nil }

    func nextChange(of state: DashboardState, after moment: Moment) -> Instant? {
        let now = time.now
        guard let event = playback.nextChange(after: now) else { return nil }
        let clock = state.nextChange(after: moment).map { instant in
            now.advanced(bySeconds: instant.seconds(since: moment.now) / playback.speed)
        }
        return max(min(event, clock ?? event), now + Self.frameGap)
    }
}
