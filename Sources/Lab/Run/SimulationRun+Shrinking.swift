import Simulation

extension SimulationRun {
    /// Removes the features of a scenario that a violation does not need.
    ///
    /// - Parameter found: Found with this run's seeds and limits.
    /// - Returns: A violation of the same invariant in a simpler scenario, or the given one.
    func shrunk(_ found: SimulationReport.FoundViolation) -> SimulationReport.FoundViolation {
        shrunk(found, making: Self.machine)
    }

    func shrunk<Client: SimulatedClient>(
        _ found: SimulationReport.FoundViolation,
        kind: ScenarioKind? = nil,
        making: @escaping Making<Client>
    ) -> SimulationReport.FoundViolation {
        var best = found
        for feature in ScenarioFeature.all {
            var simpler = self
            simpler.without = best.without
            let scenario = simpler.scenario(of: found.seed, kind: kind)
            guard scenario.has(feature) else { continue }
            simpler.without.append(feature)
            let report = simpler.live(
                simpler.scenario(of: found.seed, kind: kind),
                found.seed,
                making: making
            )
            guard let violation = report.violation,
                violation.violation.finding.invariant == found.violation.finding.invariant
            else { continue }
            best = violation
        }
        return best
    }
}
