import Testing

@testable import UI

@Suite("Grids: drawing")
struct GridTests {
    @Test("writing over half of a wide glyph blanks the other half", arguments: [0, 1])
    func halves(column: Int) {
        var grid = Grid(columns: 4, rows: 1)
        grid.write("日本", in: Area(columns: 4, rows: 1), row: 0)
        grid.put("x", style: .plain, column: column, row: 0)
        #expect(grid.text == (column == 0 ? "x 本" : " x本"))
    }

    @Test("a wide glyph that would stick out becomes a blank")
    func edge() {
        var grid = Grid(columns: 1, rows: 1)
        grid.put("日", style: .plain, column: 0, row: 0)
        #expect(grid[0, 0].text == " ")
    }

    @Test("grids are equal where they show the same glyphs, with marks, too")
    func equality() {
        let area = Area(columns: 6, rows: 1)
        func grid(_ texts: String...) -> Grid {
            var grid = Grid(columns: 6, rows: 1)
            for text in texts { grid.write(Line(text), in: area, row: 0) }
            return grid
        }
        #expect(grid("e\u{301}a\u{308}") == grid("x", "e\u{301}a\u{308}"))
        #expect(grid("e\u{301}") != grid("e\u{300}"))
        #expect(grid("e\u{301}") != grid("e"))
        #expect(grid("e\u{301}").cells[0] == Grid.Cell(text: "e\u{301}"))
        #expect(grid("e\u{301}x").changes(ofRow: 0, to: grid("a\u{301}x")) == 0..<1)
    }

    @Test("nothing is drawn outside an area")
    func clipped() {
        var grid = Grid(columns: 5, rows: 3)
        grid.write(["toolong", "b", "c"], in: Area(column: 1, row: 1, columns: 3, rows: 1))
        #expect(grid.text == "\n to…\n")
    }

    @Test("a border keeps its corners at any size")
    func borders() {
        for columns in 0...20 {
            for rows in 0...6 {
                var grid = Grid(columns: columns, rows: rows)
                let area = Area(columns: columns, rows: rows)
                grid.drawBorder(
                    area,
                    title: "a title",
                    notes: ["a long note", "n"],
                    style: .border
                )
                #expect(grid.openBorders.isEmpty)
            }
        }
    }

    @Test("each style is shown by one letter")
    func letters() {
        let letters = Style.allCases.map(\.rawValue)
        #expect(Set(letters).count == letters.count)
    }
}
