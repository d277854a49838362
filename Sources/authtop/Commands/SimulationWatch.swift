import Simulation
import Timekeeping

/// Says on stderr how far a simulation is, once a second at most, and when its time is over.
struct SimulationWatch {
    private let time: any Timekeeper
    private let began: Instant
    private let end: Instant?
    private var nextLine: Instant

    /// - Parameters:
    ///   - time: What its seconds are counted by.
    ///   - limit: Seconds, or `nil` if only the run's own targets count.
    init(time: any Timekeeper, limit: Double?) {
        self.time = time
        began = time.now
        end = limit.map(began.advanced(bySeconds:))
        nextLine = began.advanced(bySeconds: 1)
    }

    mutating func goesOn(_ report: SimulationReport) -> Bool {
        let now = time.now
        if now >= nextLine {
            nextLine = now.advanced(bySeconds: 1)
            StandardError.write(
                "\(Int(now.seconds(since: began))) s: \(report.seeds) worlds, "
                    + "\(report.rotations) rotations"
            )
        }
        return end.map { now < $0 } ?? true
    }

    func logSpeed(of report: SimulationReport, jobs: Int) {
        let seconds = time.now.seconds(since: began)
        let rate = Int(Double(report.rotations) / max(seconds, 0.001))
        let tenths = (seconds * 10).rounded() / 10
        StandardError.write("\(tenths) s, \(rate) rotations/s, \(jobs) at a time")
    }
}
