import Testing

@testable import Terminal
@testable import UI

@Suite("What a frame changes")
struct GridChangeTests {
    private let grid = Grid(columns: 4, rows: 3)

    @Test("the same grid changes nothing")
    func same() {
        #expect(GridChange.all(from: grid, to: grid) == [])
    }

    @Test("the part of a row that differs in a character or only in its style is painted")
    func parts() {
        var other = grid
        other[1, 0].text = "x"
        other[3, 0].text = "y"
        other[0, 2].style = .warning
        #expect(
            GridChange.all(from: grid, to: other) == [
                GridChange(row: 0, columns: 1..<4), GridChange(row: 2, columns: 0..<1),
            ]
        )
    }

    @Test("no half of a wide glyph is painted", arguments: ["a日b", "日ab", "ab日"])
    func wideGlyphs(text: String) {
        func row(_ text: String) -> Grid {
            var grid = Grid(columns: 4, rows: 1)
            grid.write(Line(text), in: Area(columns: 4, rows: 1), row: 0)
            return grid
        }
        let wide = row(text)
        for other in ["日日", "a日c", "xaby", "a本b", "本ab", "ab本"].map(row) {
            let there = GridChange.all(from: wide, to: other)
            for change in there + GridChange.all(from: other, to: wide) {
                for grid in [wide, other] {
                    let halves = grid.cells.map(\.text.isEmpty)
                    #expect(!halves[change.columns.lowerBound])
                    #expect(!(halves + [false])[change.columns.upperBound])
                }
            }
        }
    }

    @Test("the first grid and one of another size are painted whole")
    func whole() {
        let all = (0..<3).map { GridChange(row: $0, columns: 0..<4) }
        #expect(GridChange.all(from: nil, to: grid) == all)
        #expect(GridChange.all(from: Grid(columns: 3, rows: 4), to: grid) == all)
    }

    @Test("an empty grid has no rows")
    func empty() {
        #expect(GridChange.all(from: nil, to: Grid(columns: 0, rows: 0)) == [])
    }
}
