import Dashboard
import Lifecycle
import Testing
import Timekeeping

@Suite("Update: a long run")
struct BoundedTests {
    @Test("ten thousand events leave bounded logs and a frame that is still drawn")
    func bounded() {
        var story = Story.ordinary()
        for round in 0..<5_000 {
            story.wait(0.01)
            story.message()
            story.request(status: round % 50 == 0 ? 503 : 200)
        }
        var state = DashboardState()
        for event in story.events { _ = state.update(.event(event)) }
        #expect(state.session.requests.count == SessionSnapshot.requestLimit)
        #expect(state.session.feed.log.count == FeedSnapshot.logLimit)
        #expect(state.session.requestCounts.sent == 5_026)
        #expect(state.session.feed.messages == 5_174)
        #expect(state.screen(120, 40, story.now).openBoxes.isEmpty)
    }

    @Test("renewals for ever leave bounded histories")
    func renewals() {
        var story = Story.ordinary()
        for _ in 0..<1_200 {
            story.wait(10)
            story.renew()
        }
        let session = SessionSnapshot(folding: story.events)
        #expect(session.generations.count == SessionSnapshot.generationLimit)
        #expect(session.flights.count == SessionSnapshot.flightLimit)
        #expect(session.current?.generation == 1_207)
    }
}
