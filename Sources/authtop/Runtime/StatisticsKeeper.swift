import Lifecycle
import Sessions
import Timekeeping

/// Writes down what a run counts, at each new pair and at the run's end.
struct StatisticsKeeper {
    let file: StatisticsFile
    let store: SessionStore
    let time: any Timekeeper
    private var statistics = SessionStatistics()
    private var family: String?

    init(file: StatisticsFile, store: SessionStore, time: any Timekeeper) {
        self.file = file
        self.store = store
        self.time = time
    }

    mutating func note(_ event: SessionEvent) async {
        statistics.apply(event)
        guard case .tokensIssued = event.kind else { return }
        family = await store.family ?? family
        write()
    }

    /// Nothing before the first pair.
    func write() {
        guard let family else { return }
        file.write(statistics.json(at: time.moment), family: family)
    }
}
