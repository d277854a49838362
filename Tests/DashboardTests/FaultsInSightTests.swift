import Dashboard
import Lifecycle
import Testing

@Suite("Screens: what is wrong, in words")
struct FaultsInSightTests {
    @Test(
        "the faults that were asked for stand in the header, or how many there are",
        arguments: [
            (120, "· faults: delay, server-error:p=0.2 "), (80, "· faults: delay, server-error"),
            (60, "bitbasel · with 2 faults "),
        ]
    )
    func faults(columns: Int, words: String) {
        let story = Story.ordinary()
        let session = DashboardSession(
            id: Story.session,
            faults: ["delay", "server-error:p=0.2"]
        )
        var state = DashboardState(story, session: session)
        let header = state.screen(columns, 24, story.now).text.split(separator: "\n")[0]
        #expect(header.contains(words))
    }

    @Test("so many faults that they have no room are counted")
    func manyFaults() {
        let story = Story.ordinary()
        let faults = Array(repeating: "server-error:p=0.2", count: 9)
        let session = DashboardSession(id: Story.session, faults: faults)
        var state = DashboardState(story, session: session)
        #expect(state.screen(60, 16, story.now).text.contains("bitbasel · with 9 faults"))
    }

    @Test(
        "a socket that is silent for longer than its ping says so",
        arguments: [(21.0, false), (22, true), (29, true)]
    )
    func silence(seconds: Double, isTold: Bool) {
        var story = Story.cold()
        story.logIn(accessLife: 300)
        story.open()
        story.wait(seconds)
        var state = DashboardState(story)
        let text = state.screen(80, 24, story.now).text
        #expect(text.contains("silent") == isTold)
        story.add(.feed(.ping(socket: 1, roundTrip: .milliseconds(1))))
        state = DashboardState(story)
        #expect(!state.screen(80, 24, story.now).text.contains("silent"))
    }

    @Test("a backend that answers 503 is not offline, one that nobody reaches is")
    func unavailable() {
        let answered = Story.failing { .offline($0) }
        var state = DashboardState(answered)
        #expect(state.screen(120, 40, answered.now).text.contains("backend unavailable (503)"))
        let unreached = Story.failing(.notSent) { .offline($0) }
        state = DashboardState(unreached)
        #expect(state.screen(120, 40, unreached.now).text.contains("◇ offline: session kept"))
    }
}
