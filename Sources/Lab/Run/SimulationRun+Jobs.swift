/// Simulated systems side by side.
///
/// They are added up in the order of their seeds, so the outcome is that of one after another.
extension SimulationRun {
    /// Drives the real machine on several cores.
    ///
    /// - Parameters:
    ///   - jobs: The number of systems at a time, at least 1.
    ///   - goesOn: Called with the report so far after each system; `false` ends the run.
    /// - Returns: The combined report.
    func run(
        jobs: Int,
        goesOn: (SimulationReport) -> Bool
    ) async -> SimulationReport {
        await withTaskGroup(of: (index: Int, report: SimulationReport).self) { group in
            var total = SimulationReport(firstSeed: seed)
            var next = 0
            var early: [Int: SimulationReport] = [:]
            func begin() {
                guard rotations > 0 || next < seeds else { return }
                let index = next
                next += 1
                group.addTask {
                    let seed = seed &+ UInt64(index)
                    return (index, live(scenario(of: seed), seed, making: Self.machine))
                }
            }
            for _ in 0..<max(1, jobs) { begin() }
            var isOver = !wantsMore(than: total)
            while !isOver, let (index, report) = await group.next() {
                early[index] = report
                while !isOver, let report = early.removeValue(forKey: total.seeds) {
                    total.add(report)
                    isOver = !goesOn(total) || !wantsMore(than: total)
                }
                if !isOver { begin() }
            }
            group.cancelAll()
            return total
        }
    }
}
