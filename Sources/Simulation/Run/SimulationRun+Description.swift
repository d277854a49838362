extension SimulationRun {
    /// The command that runs exactly the worlds of a report, however long it took.
    package func again(_ report: SimulationReport) -> String {
        let names = without.map(\.name).joined(separator: ",")
        return "authtop simulate --seed \(seed) --seeds \(max(1, report.seeds))"
            + (names.isEmpty ? "" : " --without \(names)")
    }
}
