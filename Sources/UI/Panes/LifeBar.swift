/// A bar that drains from the right: `█` life left, `░` spent, `┃` where it will be renewed.
struct LifeBar: Sendable, Equatable {
    /// Of the whole life, 0…1.
    var left: Double
    /// The fraction left at the next renewal, 0…1, or `nil` if none is planned.
    var renewsAt: Double?

    init(left: Double, of lifetime: Double, renewsAt: Double?) {
        self.left = Self.share(left, of: lifetime)
        self.renewsAt = renewsAt.map { Self.share($0, of: lifetime) }
    }

    /// Cells of `columns` that are still alive; any life at all fills at least one.
    func filled(of columns: Int) -> Int {
        min(columns, Int((left * Double(columns)).rounded(.up)))
    }

    /// The cell in which the renewal lies.
    func marker(of columns: Int) -> Int? {
        guard let renewsAt, columns > 0 else { return nil }
        return min(columns - 1, Int(renewsAt * Double(columns)))
    }

    /// `style` is that of the life that is left.
    func line(columns: Int, style: Style) -> Line {
        guard columns > 0 else { return Line() }
        let filled = filled(of: columns)
        let marker = marker(of: columns)
        guard let marker else { return part(of: 0..<columns, filled, style) }
        return part(of: 0..<marker, filled, style) + Line("┃", .strong)
            + part(of: marker + 1..<columns, filled, style)
    }

    private func part(of cells: Range<Int>, _ filled: Int, _ style: Style) -> Line {
        let left = cells.clamped(to: 0..<max(0, filled)).count
        return Line(String(repeating: "█", count: left), style)
            + Line(String(repeating: "░", count: cells.count - left), .dim)
    }

    private static func share(_ part: Double, of whole: Double) -> Double {
        guard whole > 0, part.isFinite, whole.isFinite else { return 0 }
        return min(max(part / whole, 0), 1)
    }
}
