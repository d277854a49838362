import Testing

@testable import Terminal
@testable import UI

@Suite("What a frame changes")
struct GridChangesTests {
    private let grid = Grid(columns: 4, rows: 3)

    @Test("the same grid changes nothing")
    func same() {
        #expect(GridChanges.rows(from: grid, to: grid) == [])
    }

    @Test("a row that differs in a character or only in its style is painted")
    func rows() {
        var other = grid
        other[3, 0].text = "x"
        other[0, 2].style = .warning
        #expect(GridChanges.rows(from: grid, to: other) == [0, 2])
    }

    @Test("the first grid and one of another size are painted whole")
    func whole() {
        #expect(GridChanges.rows(from: nil, to: grid) == [0, 1, 2])
        #expect(GridChanges.rows(from: Grid(columns: 3, rows: 4), to: grid) == [0, 1, 2])
    }

    @Test("an empty grid has no rows")
    func empty() {
        #expect(GridChanges.rows(from: nil, to: Grid(columns: 0, rows: 0)) == [])
    }
}
