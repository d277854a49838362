extension SimulationRun {
    /// Leaves out of the world of a breach whatever the breach does not need.
    ///
    /// - Parameter found: Found with this run's seeds and limits.
    /// - Returns: The same promise broken in a world with less in it, or the breach as it was.
    package func shrunk(_ found: SimulationReport.FoundBreach) -> SimulationReport.FoundBreach {
        shrunk(found, making: Self.machine)
    }

    package func shrunk<Client: SimulatedClient>(
        _ found: SimulationReport.FoundBreach,
        kind: ScenarioKind? = nil,
        making: @escaping Making<Client>
    ) -> SimulationReport.FoundBreach {
        var best = found
        for ingredient in Ingredient.all {
            var simpler = self
            simpler.without = best.without
            let scenario = simpler.scenario(of: found.seed, kind: kind)
            guard scenario.has(ingredient) else { continue }
            simpler.without.append(ingredient)
            let report = simpler.live(
                simpler.scenario(of: found.seed, kind: kind),
                found.seed,
                making: making
            )
            guard let breach = report.breach,
                breach.breach.finding.invariant == found.breach.finding.invariant
            else { continue }
            best = breach
        }
        return best
    }
}
