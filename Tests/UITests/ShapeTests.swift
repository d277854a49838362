import Basics
import FoundationEssentials
import Testing

@testable import Model
@testable import UI

@Suite("Screens: shape at any size")
struct ShapeTests {
    /// All columns at some rows, and all rows at some columns, from nothing up.
    static let sizes: [(Int, Int)] =
        (0...130).flatMap { columns in [0, 1, 16, 24].map { (columns, $0) } }
        + (0...45).flatMap { rows in [0, 1, 60, 76].map { ($0, rows) } } + [(130, 45)]

    @Test(
        "nothing traps, borders close, no glyph is cut",
        arguments: ["strange", "expired", "never", "thirty days"]
    )
    func shape(name: String) {
        let stories = [
            "strange": EventScript.strangeTexts(), "expired": EventScript.failing { .expired($0) },
            "never": .ended(.never), "thirty days": .thirtyDays(),
        ]
        let script = stories[name] ?? EventScript()
        var state = DashboardState(script)
        for (columns, rows) in Self.sizes {
            let grid = state.screen(columns, rows, script.now)
            #expect(grid.columns == columns && grid.rows == rows)
            #expect(grid.openBorders.isEmpty, "\(columns) × \(rows)")
            #expect(grid.halfGlyphs.isEmpty, "\(columns) × \(rows)")
        }
    }

    @Test("overlays survive any size too", arguments: ["help", "detail", "question", "prompt"])
    func overlays(name: String) {
        let script = EventScript.thirtyDays()
        var state = DashboardState(script)
        switch name {
        case "help": state.press("?", "G")
        case "detail": state.press("1", .enter)
        case "question": state.press("L")
        default:
            state.press("/")
            state.type("日本語 path:/auth")
        }
        for (index, (columns, rows)) in Self.sizes.enumerated() where index.isMultiple(of: 3) {
            let grid = state.screen(columns, rows, script.now)
            #expect(grid.halfGlyphs.isEmpty, "\(columns) × \(rows)")
        }
    }

    @Test(
        "every pane in every state has its border",
        arguments: [(40, 10), (80, 24), (120, 40), (200, 60)]
    )
    func panes(columns: Int, rows: Int) {
        for (name, script) in EventScript.allStates {
            let snapshot = SessionSnapshot(folding: script.events)
            let viewModel = ViewModel(
                session: snapshot,
                clock: ViewClock(now: script.now, utcOffsetSeconds: 0),
                focus: PaneCatalogue.first
            )
            for pane in PaneCatalogue.all {
                var grid = Grid(columns: columns, rows: rows)
                let area = Area(columns: columns, rows: rows)
                PaneView.draw(pane, viewModel, isFocused: false, in: area, on: &grid)
                #expect(grid.openBorders.isEmpty, "\(pane.title) in \(name)")
                #expect(grid.text.contains("\(pane.id.rawValue) \(pane.title)"))
            }
        }
    }

    @Test("a screen that is too small says the size it needs, as far as it can")
    func tooSmall() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        #expect(state.screen(59, 40, script.now).text.contains("needs 60 × 16, has 59 × 40"))
        #expect(state.screen(13, 1, script.now).text == "needs 60 × 16")
        #expect(state.screen(1, 1, script.now).text == "…")
        #expect(state.screen(0, 0, script.now).text.isEmpty)
        #expect(state.update(.key("q")) == [.quit])
    }
}
