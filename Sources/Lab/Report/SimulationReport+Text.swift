import Model
import Simulation

/// A report as lines of text, at most 100 columns wide.
extension SimulationReport {
    var lines: [String] {
        summary + table("faults and disruptions", faultCounts)
            + table("transitions", transitionCounts)
            + table("checks of each promise", checkCounts) + (passiveObserver?.lines ?? [])
            + closing
    }

    private var summary: [String] {
        let kinds = kinds.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value)" }
        return [
            "\(NumberText.text(rotations)) rotations, \(NumberText.text(pairs)) new pairs, "
                + "\(NumberText.text(processes)) processes in "
                + "\(NumberText.text(seeds - soloSeeds)) systems of two or more",
            "\(NumberText.text(steps)) steps, \(ElapsedFormatter.text(virtualSeconds)) of virtual time,"
                + " seeds \(firstSeed)…\(firstSeed &+ UInt64(max(seeds, 1) - 1))",
            kinds.joined(separator: ", "),
        ]
    }

    /// By name: the faults of the server, and what happened to the processes.
    var faultCounts: [(name: String, count: Int)] {
        let disruptions = Disruption.allCases.map { ($0.rawValue, coverage.disruptions[$0] ?? 0) }
        let faults = Fault.simulated.map { ($0.name, coverage.faults[$0.name] ?? 0) }
        return faults + disruptions
    }

    var transitionCounts: [(name: String, count: Int)] {
        Transition.allCases.map { (String(describing: $0), coverage.times($0)) }
    }

    var checkCounts: [(name: String, count: Int)] {
        Invariant.allCases.map { ("\($0.number) \($0)", checks[$0] ?? 0) }
    }

    /// Faults, transitions and checks that were seen less often: with `than: 1`, those of which the
    /// run has shown nothing.
    func rarer(than times: Int) -> [(name: String, count: Int)] {
        (faultCounts + transitionCounts + checkCounts).filter { $0.count < times }
    }

    /// Two columns, to be read downwards.
    private func table(_ title: String, _ rows: [(name: String, count: Int)]) -> [String] {
        let counts = rows.map { NumberText.text($0.count) }
        let nameWidth = rows.map(\.name.count).max() ?? 0
        let countWidth = counts.map(\.count).max() ?? 0
        let cells = zip(rows, counts).map { row, count in
            Columns.left(row.name, nameWidth) + "  " + Columns.right(count, countWidth)
        }
        let height = (cells.count + 1) / 2
        return ["", title]
            + (0..<height).map { index in
                let second = index + height < cells.count ? "    " + cells[index + height] : ""
                return "  " + cells[index] + second
            }
    }

    private var closing: [String] {
        guard let violation else { return ["", "digest \(digest.text)"] }
        return ["", "seed \(violation.seed): \(violation.scenario)"] + violation.trace
            + [
                "✗ invariant \(violation.violation.finding.invariant.number) "
                    + "(\(violation.violation.finding.invariant)) at step \(violation.violation.step): "
                    + violation.violation.finding.message,
                "replay: \(violation.replay)",
            ]
    }
}
