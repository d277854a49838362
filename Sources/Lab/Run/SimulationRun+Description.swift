import Simulation

extension SimulationRun {
    /// The command that runs exactly the systems of a report, however long it took.
    func again(_ report: SimulationReport) -> String {
        let names = without.map(\.name).joined(separator: ",")
        return "authtop-lab simulate --seed \(seed) --seeds \(max(1, report.seeds))"
            + (names.isEmpty ? "" : " --without \(names)")
    }
}
