import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// Sessions that are watched until the run ends.
struct SessionRun: Sendable {
    let sessions: [WatchedSession]
    let display: DisplayOptions
    let defaults: ScreenDefaults
    let environment: LiveEnvironment
    /// The log, or `nil` for none.
    let log: EventLog?
    /// The recorder, or `nil` for none.
    var recorder: EventRecorder?
    /// The app whose traffic a proxy shows, or `nil` if there is no proxy.
    var app: ProxiedApp?

    /// Runs until all sessions have ended, or something ends the run.
    ///
    /// - Returns: What ended the run as a whole, or `nil` if all sessions have ended by themselves.
    /// - Throws: `CommandFailure` for the session that ended worst.
    @discardableResult
    func run() async throws -> RunEnd? {
        for session in sessions {
            if let notice = session.vault.notice { StandardError.write("authtop: \(notice)") }
        }
        var ends: [SessionID: RunEnd] = [:]
        let end: RunEnd?
        var shown: Moment?
        if display.wantsScreen {
            end = try await ScreenRun(run: self).run()
            for session in sessions { ends[session.id] = end }
        } else if let size = display.frameSize {
            (end, shown) = try await FrameRun(run: self, size: size).run()
            for session in sessions { ends[session.id] = end }
        } else {
            (end, ends) = await LineRun(run: self).run()
        }
        // A recording ends at the moment of the frame that was printed, if one was.
        let endedAt = shown ?? environment.time.moment
        var failures: [CommandFailure] = []
        failures.collect { () throws(CommandFailure) in try recorder?.finish(at: endedAt) }
        // With an app, the log ends with the evidence of its traffic.
        if app == nil { failures.collect { () throws(CommandFailure) in try log?.finish() } }
        if case .interrupted? = end {
            // A signal ends the program with its own code.
            for failure in failures { StandardError.write("authtop: \(failure.message)") }
        }
        for session in sessions {
            do throws(CommandFailure) {
                try (ends[session.id] ?? .timeUp)
                    .settle(profile: session.id.description, state: await session.source.state)
            } catch {
                failures.append(error)
            }
        }
        try failures.settle()
        return end
    }

    /// Closes the connections of all sessions concurrently.
    func leave() async {
        await withTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { await session.source.leave() } }
        }
    }

    /// The traffic without a token, which is there before the first request.
    private var appSessions: [DashboardSession] {
        app == nil ? [] : [DashboardSession(id: ObservationMachine.withoutToken)]
    }

    func session(_ id: SessionID) -> WatchedSession? {
        sessions.first { $0.id == id }
    }

    /// The seconds without a key press after which the screen locks, or `nil` for never: the
    /// command line's, else the shortest of all profiles.
    var lockAfter: Double? {
        display.lockAfter?.seconds ?? sessions.compactMap(\.dialect.policy.lockAfter).min()
    }

    /// When the time of `--for` is over.
    var deadline: Instant? {
        display.duration.map { environment.time.now.advanced(bySeconds: $0.seconds) }
    }

    /// Makes the dashboard of all sessions.
    ///
    /// - Parameters:
    ///   - hasColour: Whether the output can show colors.
    ///   - isUTF8: Whether the output can show more than ASCII.
    /// - Returns: The dashboard before the first event.
    func dashboard(hasColour: Bool, isUTF8: Bool) -> DashboardState {
        DashboardState(
            configuration: DashboardConfiguration(
                display.appearance,
                defaults: defaults,
                hasColour: hasColour,
                isUTF8: isUTF8,
                in: environment,
                ringsAtEnd: display.bell,
                lockAfter: lockAfter,
                isReadOnly: display.isReadOnly,
                proxy: app?.routes
            ),
            sessions: sessions.map(\.dashboardSession) + appSessions
        )
    }
}
