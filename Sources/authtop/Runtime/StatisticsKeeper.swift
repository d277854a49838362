import Basics
import Client
import Model
import Observer
import Platform

/// Writes a run's statistics at each new pair and at the end of the run.
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

    mutating func record(_ event: SessionEvent) async {
        statistics.apply(event)
        if event.kind is TokensIssued {
            family = await store.family ?? family
            write()
        } else if let ended = event.kind as? SignedOut {
            // The process that erased the session also erased its statistics.
            let reason = ended.reason
            if reason == .deletedExternally || reason == .endedElsewhere { family = nil }
        }
    }

    /// Forgets the session, so that its statistics are no longer written.
    mutating func forget() {
        statistics = SessionStatistics()
        family = nil
    }

    /// Writes the statistics; does nothing before the first pair.
    func write() {
        guard let family else { return }
        file.write(statistics.json(at: time.moment), family: family)
    }
}
