import Basics
import Client
import Glibc
import Model
import Observer
import Platform
import Profiles
import UI

/// Sessions that are watched until the run ends.
struct SessionRun: Sendable {
    let sessions: WatchedSessions
    /// The events of all sessions.
    let events: EventHub
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
    /// The claim to the sessions of users, or `nil` if several runs may share the sessions.
    var lease: PopulationLease?
    /// The app whose traffic a proxy shows, or `nil` if there is no proxy.
    var app: ProxiedApp?

    /// Runs until all sessions have ended, or something ends the run.
    ///
    /// - Returns: The end of the run as a whole, or `nil` if all sessions have ended by themselves.
    /// - Throws: `CommandFailure` for the session that ended worst.
    @discardableResult
    func run() async throws -> RunEnd? {
        try await monitor?.start(isTold: !display.wantsScreen)
        try await lease?.begin()
        for notice in Set(sessions.compactMap(\.plan.vault.notice)).sorted() {
            StandardError.write("authtop: \(notice)")
        }
        let result: RunResult
        do {
            result =
                if display.wantsScreen {
                    try await run(on: try await ScreenOutput(self))
                } else if let size = display.frameSize {
                    try await run(on: FrameOutput(self, size: size))
                } else {
                    try await run(on: LineOutput(self))
                }
        } catch {
            await lease?.release()
            throw error
        }
        await lease?.release()
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
            follow(events, on: output, in: &group)
            for session in sessions { group.addTask { await session.store.run() } }
            for alike in editable {
                group.addTask { await followEdits(of: alike, on: output) }
            }
            // A screen does so by itself.
            if !display.wantsScreen {
                group.addTask { await UnusedMemory.release(by: environment.time) }
            }
            if let lease { group.addTask { await lease.keep { output.end(.sessionsLost($0)) } } }
            if let signals = output.signals {
                group.addTask {
                    for await signal in signals.signals {
                        // A service has no terminal that could hang up.
                        if signal == SIGHUP, let log, !StandardInput.hasControllingTerminal {
                            if let problem = log.reopen() { output.warn(problem) }
                            continue
                        }
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
            await leave()
            group.cancelAll()
            return result
        }
    }

    /// Reads the events of all sessions for each who wants them.
    private func follow(
        _ events: EventHub,
        on output: some RunOutput,
        in group: inout ThrowingTaskGroup<Void, any Error>
    ) {
        let shown = events.events(isLossless: output.isLossless)
        // Without one of these, the run would not end, or the wrong way.
        let ends = events.events(isLossless: true) { RunEnd.isDecided(by: $0) }
        let recorded = events.events()
        let sandboxed = events.events(where: FaultMonitor.follows)
        let notified = notifier?.events(of: events)
        let counted = monitor?.events(of: events)
        if !experiments.isEmpty {
            let starts = events.events { ($0.kind as? SessionStateChanged)?.to.isLive ?? false }
            group.addTask { await beginExperiments(after: starts) }
        }
        if let notifier, let notified { group.addTask { await notifier.follow(notified) } }
        if let monitor, let counted { group.addTask { await monitor.follow(counted) } }
        group.addTask { await Self.show(shown, on: output) }
        group.addTask { await output.follow(ends) }
        group.addTask { await observeFaults(after: sandboxed) }
        group.addTask {
            var records = RunRecords(of: self)
            await records.keep(recorded, on: output)
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

    /// Observes the faults of each session whose backend is a sandbox.
    private func observeFaults(after events: EventStream) async {
        await withDiscardingTaskGroup { group in
            var observed: Set<SessionID> = []
            for await event in events {
                guard let session = session(event.session), session.faultMonitor.receive(event),
                    observed.insert(session.id).inserted
                else { continue }
                group.addTask { await session.faultMonitor.run() }
            }
            group.cancelAll()
        }
    }

    /// Begins the experiments with each session, each its time after the session was live first.
    private func beginExperiments(after starts: EventStream) async {
        let time = environment.time
        await withDiscardingTaskGroup { group in
            var begun: Set<SessionID> = []
            for await event in starts where begun.insert(event.session).inserted {
                guard let session = session(event.session) else { continue }
                let start = time.now
                group.addTask {
                    for planned in experiments {
                        let due = start.advanced(bySeconds: planned.delay)
                        guard (try? await time.sleep(until: due)) != nil else { return }
                        await session.perform(.experiment(planned.fault))
                    }
                }
            }
        }
    }

    private static func show(_ events: EventStream, on output: some RunOutput) async {
        for await batch in events.batches {
            guard await output.put(batch) else { return output.end(.outputClosed) }
        }
    }

    /// Lets all sessions end what they have begun, and close their connections, concurrently.
    private func leave() async {
        // Canceled with the end of this function.
        async let _: Void = sayWhatIsAwaited()
        await withTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { await session.store.leave() } }
        }
    }

    /// Says why the program does not end at once, once that is felt.
    private func sayWhatIsAwaited() async {
        let time = environment.time
        guard (try? await time.sleep(until: time.now + Self.feltWait)) != nil else { return }
        var count = 0
        for session in sessions where await session.store.awaitsTokens { count += 1 }
        guard count > 0 else { return }
        let limit = DurationFormatter.long(SessionStore.lastAnswerLimit.inSeconds)
        let whose = CountFormatter.count(count, "session")
        StandardError.write(
            "authtop: waiting up to \(limit) for the new tokens of \(whose); Ctrl-C ends it at once"
        )
    }

    /// The time after which a user wonders why nothing happens.
    private static let feltWait = Duration.milliseconds(500)

    /// The traffic without a token, which is there before the first request.
    private var appSessions: [DashboardSession] {
        app == nil ? [] : [DashboardSession(id: ObservationMachine.withoutToken)]
    }

    func session(_ id: SessionID) -> WatchedSession? { sessions[id] }

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
