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
    /// The experiments that are begun with each session, in the order in which they begin.
    var experiments: [FaultSetting] = []
    /// Tells of what happens, or `nil` if nothing is to be told.
    var notifier: Notifier?
    /// Counts what happens, or `nil` if no monitor reads it.
    var monitor: Monitor?
    /// The app whose traffic a proxy shows, or `nil` if there is no proxy.
    var app: ProxiedApp?

    /// Runs until all sessions have ended, or something ends the run.
    ///
    /// - Returns: The end of the run as a whole, or `nil` if all sessions have ended by themselves.
    /// - Throws: `CommandFailure` for the session that ended worst.
    @discardableResult
    func run() async throws -> RunEnd? {
        try await monitor?.start(isTold: !display.wantsScreen)
        for session in sessions {
            if let notice = session.plan.vault.notice { StandardError.write("authtop: \(notice)") }
        }
        let result =
            if display.wantsScreen {
                try await run(on: try await ScreenOutput(self))
            } else if let size = display.frameSize {
                try await run(on: FrameOutput(self, size: size))
            } else {
                try await run(on: LineOutput(self))
            }
        // A recording ends at the moment of the frame that was printed, if one was.
        let endedAt = result.shown ?? environment.time.moment
        var failures: [CommandFailure] = []
        failures.collect { () throws(CommandFailure) in try recorder?.finish(at: endedAt) }
        // With an app, the log ends with the evidence of its traffic.
        if app == nil { failures.collect { () throws(CommandFailure) in try log?.finish() } }
        if case .interrupted? = result.end {
            // A signal ends the program with its own code.
            for failure in failures { StandardError.write("authtop: \(failure.message)") }
        }
        for session in sessions {
            do throws(CommandFailure) {
                try (result.sessions[session.id] ?? .timeUp)
                    .settle(profile: session.id.description, state: await session.store.state)
            } catch {
                failures.append(error)
            }
        }
        try failures.settle()
        return result.end
    }

    private func run(on output: some RunOutput) async throws -> RunResult {
        async let following: Void = followApp(on: output)
        async let notifying: Void? = notifier?.run(
            warn: { output.warn($0) },
            announce: { output.announce($0) }
        )
        let result = try await runSessions(on: output)
        // The traffic that was relayed until now is still read, shown and recorded.
        await app?.end()
        await following
        let signals = output.signals ?? SignalWatch()
        signals.leaveAtNext()
        await notifier?.end { StandardError.write("authtop: \($0)") }
        _ = await notifying
        await monitor?.finish()
        withExtendedLifetime(signals) {}
        return result
    }

    /// Runs the sessions until something ends the run.
    private func runSessions(on output: some RunOutput) async throws -> RunResult {
        let deadline = deadline
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for session in sessions {
                let events = session.store.events
                let shown = events.events(isLossless: output.isLossless)
                let ends = events.events { RunEnd.isDecided(by: $0) }
                let recorded = events.events()
                if !experiments.isEmpty {
                    let starts = events.events {
                        ($0.kind as? SessionStateChanged)?.to.isLive ?? false
                    }
                    group.addTask { await begin(experiments, with: session, after: starts) }
                }
                if let notifier {
                    let notified = notifier.events(of: events)
                    group.addTask { await notifier.follow(notified) }
                }
                if let monitor {
                    let counted = monitor.events(of: events)
                    group.addTask { await monitor.follow(counted) }
                }
                group.addTask { await session.run() }
                group.addTask { await session.followEdits(in: environment, on: output) }
                group.addTask { await Self.show(shown, on: output) }
                group.addTask { await output.follow(ends, of: session.id) }
                group.addTask { await session.keepRecords(of: recorded, in: self, on: output) }
            }
            if let signals = output.signals {
                group.addTask {
                    for await signal in signals.signals {
                        signals.leaveAtNext()
                        output.end(.interrupted(signal: signal))
                    }
                }
            }
            if let deadline {
                group.addTask {
                    guard (try? await environment.time.sleep(until: deadline)) != nil else {
                        return
                    }
                    output.end(.timeUp)
                }
            }
            let result = try await output.result()
            if result.end != .outputClosed { await leave() }
            group.cancelAll()
            return result
        }
    }

    /// Reads, shows and records the traffic of the app, if there is one, until it has ended.
    private func followApp(on output: some RunOutput) async {
        guard let app else { return }
        let shown = app.store.events.events()
        let recorded = app.store.events.events()
        let notified = notifier?.events(of: app.store.events)
        let counted = monitor?.events(of: app.store.events)
        await withDiscardingTaskGroup { group in
            if let notifier, let notified { group.addTask { await notifier.follow(notified) } }
            if let monitor, let counted { group.addTask { await monitor.follow(counted) } }
            group.addTask { await app.run() }
            group.addTask { await Self.show(shown, on: output) }
            group.addTask { await app.keepRecords(of: recorded, in: self, on: output) }
        }
    }

    /// Begins experiments, each its time after the first event.
    private func begin(
        _ experiments: [FaultSetting],
        with session: WatchedSession,
        after starts: EventStream
    ) async {
        for await _ in starts { break }
        let time = environment.time
        let start = time.now
        for planned in experiments {
            let due = start.advanced(bySeconds: planned.delay)
            guard (try? await time.sleep(until: due)) != nil else { return }
            await session.perform(.experiment(planned.fault))
        }
    }

    private static func show(_ events: EventStream, on output: some RunOutput) async {
        for await batch in events.batches {
            guard await output.put(batch) else { return output.end(.outputClosed) }
        }
    }

    /// Closes the connections of all sessions concurrently.
    private func leave() async {
        await withTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { await session.store.leave() } }
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
        display.lockAfter?.seconds ?? sessions.compactMap(\.plan.dialect.policy.lockAfter).min()
    }

    /// When the time of `--for` is over; a frame is printed after some seconds without it.
    private var deadline: Instant? {
        let frame = display.frameSize.map { _ in FrameOutput.defaultSeconds }
        return (display.duration?.seconds ?? frame).map(environment.time.now.advanced(bySeconds:))
    }

    /// Makes the dashboard of all sessions.
    ///
    /// - Parameters:
    ///   - hasColor: Whether the output can show colors.
    ///   - isUTF8: Whether the output can show more than ASCII.
    /// - Returns: The dashboard before the first event.
    func dashboard(hasColor: Bool, isUTF8: Bool) -> DashboardState {
        DashboardState(
            configuration: configuration(by: defaults, hasColor: hasColor, isUTF8: isUTF8),
            sessions: sessions.map(\.dashboardSession) + appSessions
        )
    }

    /// The configuration of the dashboard.
    func configuration(
        by defaults: ScreenDefaults,
        hasColor: Bool,
        isUTF8: Bool
    ) -> DashboardConfiguration {
        DashboardConfiguration(
            display.appearance,
            defaults: defaults,
            hasColor: hasColor,
            isUTF8: isUTF8,
            in: environment,
            ringsAtEnd: display.bell,
            lockAfter: lockAfter,
            isReadOnly: display.isReadOnly,
            proxy: app?.routes
        )
    }
}
