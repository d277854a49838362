import Model
import Testing

@testable import UI

@Suite("Lists: following and holding")
struct ListWindowTests {
    private struct Entry: LogEntry, Equatable {
        let number: Int
    }

    private static func log(_ numbers: ClosedRange<Int>, limit: Int = 100) -> BoundedLog<Entry> {
        var log = BoundedLog<Entry>(limit: limit)
        for number in numbers { log.insert(Entry(number: number)) }
        return log
    }

    private static func window(
        _ log: BoundedLog<Entry>,
        _ position: ListState.Position,
        height: Int = 5
    ) -> ListWindow<Entry> {
        var state = ListState()
        state.position = position
        return ListWindow(log, state: state, height: height) { _, _ in true }
    }

    @Test("following shows the newest")
    func following() {
        let window = Self.window(Self.log(1...20), .following)
        #expect(window.visible.map(\.number) == [20, 19, 18, 17, 16])
        #expect(window.cursor == nil)
        #expect(window.selected?.number == 20)
    }

    @Test("held, nothing moves while entries arrive")
    func held() {
        let position = ListState.Position.held(number: 18, row: 2)
        #expect(
            Self.window(Self.log(1...20), position).visible.map(\.number) == [20, 19, 18, 17, 16]
        )
        let later = Self.window(Self.log(1...50), position)
        #expect(later.visible.map(\.number) == [20, 19, 18, 17, 16])
        #expect(later.cursor == 32)
    }

    @Test("if its entry is dropped, the cursor moves to the oldest")
    func evicted() {
        let window = Self.window(Self.log(1...200, limit: 10), .held(number: 18, row: 2))
        #expect(window.selected?.number == 191)
        #expect(window.visible.map(\.number) == [195, 194, 193, 192, 191])
    }

    @Test(
        "moves",
        arguments: [
            (.following, .down, .held(number: 20, row: 0)), (.following, .up, .following),
            (.held(number: 20, row: 0), .up, .held(number: 20, row: 0)),
            (.held(number: 18, row: 2), .down, .held(number: 17, row: 3)),
            (.held(number: 16, row: 4), .down, .held(number: 15, row: 4)),
            (.held(number: 10, row: 0), .up, .held(number: 11, row: 0)),
            (.held(number: 18, row: 2), .pageDown, .held(number: 14, row: 4)),
            (.held(number: 2, row: 4), .pageDown, .held(number: 1, row: 4)),
            (.held(number: 5, row: 1), .end, .held(number: 1, row: 4)),
            (.held(number: 5, row: 1), .start, .following),
        ] as [(ListState.Position, ListMove, ListState.Position)]
    )
    func moves(from: ListState.Position, move: ListMove, to: ListState.Position) {
        #expect(Self.window(Self.log(1...20), from).position(after: move) == to)
    }

    @Test("the cursor is always in sight", arguments: 0...7)
    func visible(height: Int) {
        let log = Self.log(1...20)
        for number in 1...20 {
            for row in 0...9 {
                let window = Self.window(log, .held(number: number, row: row), height: height)
                guard height > 0 else { continue }
                #expect(window.visible.contains(Entry(number: number)))
            }
        }
    }

    @Test("an empty list has nowhere to go", arguments: [ListMove.down, .end, .pageUp, .start])
    func empty(move: ListMove) {
        let window = Self.window(BoundedLog(limit: 3), .held(number: 4, row: 1))
        #expect(window.position(after: move) == .following)
        #expect(window.selected == nil)
        #expect(window.visible.isEmpty)
    }

    @Test("entries find their place by number")
    func order() {
        var log = BoundedLog<Entry>(limit: 4)
        for number in [2, 5, 3, 9, 4, 1, 5] { log.insert(Entry(number: number)) }
        #expect(log.map(\.number) == [3, 4, 5, 9])
        #expect(log.entry(numbered: 4) != nil)
        #expect(log.entry(numbered: 2) == nil)
    }

    @Test("in the dashboard: hold, see how many are newer, follow again")
    func dashboard() {
        var script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("F")
        for _ in 0..<3 { script.request() }
        _ = state.update(.events(Array(script.events.suffix(3))))
        #expect(state.screen(120, 40, script.now).text.contains("held · 3 newer"))
        state.press("F")
        #expect(state.screen(120, 40, script.now).text.contains("p99 42 ms · following"))
    }
}
