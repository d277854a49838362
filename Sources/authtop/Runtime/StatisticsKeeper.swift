import Lifecycle
import Sessions
import Timekeeping

/// Writes down what a run counts, at each new pair and at the run's end.
struct StatisticsKeeper: Sendable {
    let file: StatisticsFile
    let store: SessionStore
    let time: any Timekeeper

    /// Until the events end.
    func run(_ events: AsyncStream<SessionEvent>) async {
        var statistics = SessionStatistics()
        var family: String?
        for await event in events {
            statistics.apply(event)
            guard case .tokensIssued = event.kind else { continue }
            family = await store.family ?? family
            if let family { file.write(statistics.json(at: time.moment), family: family) }
        }
        if let family { file.write(statistics.json(at: time.moment), family: family) }
    }
}
