import Testing

@testable import UI

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

    @Test("the program's own words lose nothing")
    func ownMessages() {
        let ascii = DashboardConfiguration(isASCII: true)
        for (name, script) in EventScript.allStates + EventScript.oddities
        where name != "strange-texts" {
            for keys in [[], ["?"], ["1", .enter], ["2", .enter]] as [[Key]] {
                var unicode = DashboardState(script)
                var translated = DashboardState(script, configuration: ascii)
                for key in keys {
                    unicode.press(key)
                    translated.press(key)
                }
                let before = unicode.screen(120, 60, script.now).cells.count { $0.text == "?" }
                let after = translated.screen(120, 60, script.now).cells.count { $0.text == "?" }
                #expect(before == after, "\(name)")
            }
        }
    }

    @Test("other text becomes question marks, column by column")
    func others() {
        var grid = Grid(columns: 8, rows: 1)
        grid.write("aé日e\u{301}ü", in: Area(columns: 8, rows: 1), row: 0)
        #expect(grid.inASCII.text == "a?????")
    }
}
