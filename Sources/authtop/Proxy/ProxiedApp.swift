import Dashboard
import Lifecycle
import Observation
import Proxy
import Sessions

/// An app whose traffic goes through the proxy, and what is seen of it.
struct ProxiedApp: Sendable {
    let routes: ProxyRoutes
    let queue: TrafficQueue
    let store: ObservationStore

    /// Reads the traffic until it has ended, or the calling task is cancelled.
    func run() async { await store.run() }

    /// Logs and records the events until they end.
    func keepRecords(
        of events: EventStream,
        in run: SessionRun,
        warn: (String) -> Void
    ) async {
        guard run.log != nil || run.recorder != nil else { return }
        for await event in events {
            run.log?.note(event)
            if let problem = run.recorder?.note(event) { warn(problem) }
        }
    }
}
