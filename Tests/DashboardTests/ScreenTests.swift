import Dashboard
import Lifecycle
import Testing

@Suite("Screens")
struct ScreenTests {
    @Test("x")
    func ordinary() throws {
        let story = Story.draining()
        let state = DashboardState(story)
        let clock = ContinuousClock()
        print("TIME", clock.measure { for _ in 0..<20 { _ = state.render(size: (120, 40), now: story.now) } } / 20)
        var s2 = state; s2.press("/"); s2.type("path:zzz")
        print("TIME", clock.measure { for _ in 0..<20 { _ = s2.render(size: (120, 40), now: story.now) } } / 20)
        print("TIME", clock.measure { for _ in 0..<20 { _ = state.render(size: (40, 10), now: story.now) } } / 20)
    }
}
