/// A report as lines of text.
extension SimulationReport {
    /// Said before anything runs, so that a run that never ends can be repeated too.
    package static func opening(seed: UInt64) -> String {
        "seed \(seed)"
    }

    package var lines: [String] {
        summary + table("faults", faultCounts) + table("transitions", transitionCounts)
            + table("checks", checkCounts) + closing
    }

    private var summary: [String] {
        let kinds = kinds.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value)" }
        return [
            "seeds \(firstSeed)…\(firstSeed &+ UInt64(max(seeds, 1) - 1)): "
                + kinds.joined(separator: ", "),
            "\(rotations) rotations in \(steps) steps, \(DurationWords.text(virtualSeconds)) of "
                + "virtual time",
        ]
    }

    /// By name; the faults of the server and what befell the processes.
    package var faultCounts: [(name: String, count: Int)] {
        let mishaps = Mishap.allCases.map { ($0.rawValue, coverage.mishaps[$0] ?? 0) }
        return coverage.faults.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + mishaps
    }

    package var transitionCounts: [(name: String, count: Int)] {
        Transition.allCases.map { (String(describing: $0), coverage.times($0)) }
    }

    package var checkCounts: [(name: String, count: Int)] {
        Invariant.allCases.map { ("\($0.number) \($0)", checks[$0] ?? 0) }
    }

    private func table(_ title: String, _ rows: [(name: String, count: Int)]) -> [String] {
        let width = rows.map(\.name.count).max() ?? 0
        return [title]
            + rows.map { row in
                let gap = String(repeating: " ", count: width - row.name.count)
                return "  \(row.name)\(gap)  \(row.count)"
            }
    }

    private var closing: [String] {
        guard let breach else { return ["digest \(digest.text)"] }
        return ["seed \(breach.seed): \(breach.scenario)"] + breach.story
            + [
                "✗ invariant \(breach.breach.finding.invariant.number) "
                    + "(\(breach.breach.finding.invariant)) at step \(breach.breach.step): "
                    + breach.breach.finding.words,
                "replay: \(breach.replay)",
            ]
    }
}
