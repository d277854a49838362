import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Text: words that need an explanation")
struct GlossaryTests {
    @Test("are in the help, each once, with what they mean")
    func help() {
        let state = DashboardState(EventScript.ordinary())
        let lines = HelpText.document(state.viewModel(at: EventScript.ordinary().now)).aside
        for term in GlossaryTerm.all {
            let found = lines.filter { $0.text.hasPrefix("\(term.name) ") }
            #expect(found.map { $0.text.hasSuffix(" \(term.meaning)") } == [true], "\(term.name)")
        }
    }

    @Test(
        "are explained where they stand, as far as there is room",
        arguments: [(120, 40), (80, 24)]
    )
    func inPlace(columns: Int, rows: Int) {
        var script = EventScript.ordinary()
        script.plan(in: 10, .circuitBreakerCloses)
        var state = DashboardState(script)
        state.press("2", "z")
        let meaning = GlossaryTerm.heldBack.meaning
        let held = state.screen(columns, rows, script.now).text
        #expect(held.contains(": \(meaning)"), "\(held)")
        state.press("1", .enter)
        let detail = state.screen(columns, rows, script.now).text
        #expect(detail.contains("fresh: \(GlossaryTerm.fresh.meaning)"), "\(detail)")
    }
}
