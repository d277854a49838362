import Basics
import Client
import Model
import Observer
import Proxy
import UI

/// An app whose traffic goes through the proxy, and what is seen of it.
struct ProxiedApp: Sendable {
    let routes: ProxyRoutes
    let server: ProxyServer
    let queue: TrafficQueue
    let store: ObservationStore
    let evidence: TrafficEvidence
    /// The experiments of the command line.
    var plan: [FaultSetting] = []
    let time: any Timekeeper
    /// Reads the traffic.
    private let reader = BackgroundExecutor()

    /// Reads the traffic until it has ended, or the calling task is cancelled; meanwhile, begins the
    /// experiments that were planned.
    func run() async {
        await withDiscardingTaskGroup { group in
            for planned in plan {
                group.addTask {
                    let due = time.now.advanced(bySeconds: planned.delay)
                    guard (try? await time.sleep(until: due)) != nil else { return }
                    await store.begin(planned.fault)
                }
            }
            await withTaskExecutorPreference(reader) { await store.run() }
            group.cancelAll()
        }
    }

    /// Reads the traffic of an app that is not shown, until it has ended.
    ///
    /// - Parameters:
    ///   - notifier: Told of the events, if there is one.
    ///   - monitor: Counts the events, if there is one.
    func run(telling notifier: Notifier?, counting monitor: Monitor?) async {
        let counted = monitor?.events(of: store.events)
        await withDiscardingTaskGroup { group in
            if let monitor, let counted { group.addTask { await monitor.follow(counted) } }
            await run(telling: notifier)
        }
    }

    private func run(telling notifier: Notifier?) async {
        guard let notifier else { return await run() }
        let events = notifier.events(of: store.events)
        async let notifying: Void = notifier.run { StandardError.write("authtop: \($0)") }
        await withDiscardingTaskGroup { group in
            group.addTask { await run() }
            group.addTask { await notifier.follow(events) }
        }
        let signals = SignalWatch()
        signals.leaveAtNext()
        await notifier.end { StandardError.write("authtop: \($0)") }
        await notifying
        withExtendedLifetime(signals) {}
    }

    /// Ends the traffic that is read with the bytes relayed so far: the ends of connections when
    /// the proxy ends are no fault of an app.
    func end() async {
        await server.settle()
        queue.finish()
    }

    /// Logs the events until they end, and warns if their recording has stopped, or the log is not
    /// complete.
    func keepRecords(
        of events: EventStream,
        in run: SessionRun,
        on output: some RunOutput
    ) async {
        for await event in events {
            run.log?.record(event)
            if let problem = run.log?.takeProblem() { output.warn(problem) }
            if let problem = evidence.takeProblem() { output.warn(problem) }
        }
    }
}
