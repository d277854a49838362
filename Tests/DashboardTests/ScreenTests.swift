import Dashboard
import Lifecycle
import Testing

@Suite("Screens")
struct ScreenTests {
    @Test("x")
    func ordinary() throws {
        for (name, story) in Story.allStates {
            var state = DashboardState(story)
            print("==", name)
            print(" "+state.screen(120, 40, story.now).text.split(separator: "\n").prefix(name.hasPrefix("signed-out") ? 10 : 2).joined(separator: "\n "))
        }
        let story = Story.draining()
        var state = DashboardState(story)
        state.press("?")
        print(state.screen(120, 40, story.now).text)
        print(state.screen(80, 24, story.now).text)
        print(Story.vaultLocked().events.count)
        let last = Story.ended(.lostRotation)
        var ended = DashboardState(last)
        print(ended.screen(120, 40, last.now).text)
        print(ended.screen(80, 24, last.now).text)
        print(DashboardState(story, configuration: DashboardConfiguration(isASCII: true)).render(size: (120, 40), now: story.now).text)
    }
}
