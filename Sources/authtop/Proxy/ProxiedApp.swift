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
    let evidence: TrafficEvidence

    /// Reads the traffic until it has ended, or the calling task is cancelled.
    func run() async { await store.run() }

    /// Logs the events until they end, and warns if their recording has stopped.
    func keepRecords(
        of events: AsyncStream<SessionEvent>,
        in run: SessionRun,
        warn: (String) -> Void
    ) async {
        for await event in events {
            run.log?.note(event)
            if let problem = evidence.takeProblem() { warn(problem) }
        }
    }
}
