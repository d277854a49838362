/// Lines in the order of the screen, of which the less important ones go when there are too few
/// rows.
struct RankedLines {
    private var entries: [(rank: Int, line: Line)] = []

    /// Rank 0 stays longest.
    mutating func add(_ rank: Int, _ line: Line) {
        entries.append((rank, line))
    }

    func best(_ rows: Int) -> [Line] {
        let kept = entries.enumerated()
            .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .prefix(max(0, rows))
            .sorted { $0.offset < $1.offset }
        return kept.map(\.element.line)
    }
}
