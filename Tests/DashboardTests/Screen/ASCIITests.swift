import Dashboard
import Testing

@Suite("Grids: ASCII")
struct ASCIITests {
    @Test("each form is one character of ASCII")
    func forms() {
        for (symbol, form) in Grid.asciiForms {
            #expect(form.count == 1 && form.utf8.count == 1, "\(symbol)")
        }
    }

    @Test(
        "symbols of one kind stay apart",
        arguments: [["█", "░", "┃"], ["⚠", "✗", "‖", "▸", "●", "○"], ["│", "─", "╭"]]
    )
    func apart(symbols: [String]) {
        let forms = symbols.compactMap { Grid.asciiForms[$0] }
        #expect(Set(forms).count == symbols.count)
    }

    @Test("other text becomes question marks, column by column")
    func others() {
        var grid = Grid(columns: 8, rows: 1)
        grid.write("aé日e\u{301}ü", in: Area(columns: 8, rows: 1), row: 0)
        #expect(grid.inASCII.text == "a?????")
    }
}
