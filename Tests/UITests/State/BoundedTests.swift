import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Update: a long run")
struct BoundedTests {
    @Test("ten thousand events leave bounded logs and a frame that is still drawn")
    func bounded() {
        var script = EventScript.ordinary()
        for round in 0..<5_000 {
            script.wait(0.01)
            script.message()
            script.request(status: round % 50 == 0 ? 503 : 200)
        }
        var state = DashboardState()
        for event in script.events { _ = state.update(.event(event)) }
        #expect(state.session.requests.count == SessionSnapshot.requestLimit)
        #expect(state.session.feed.log.count == FeedSnapshot.logLimit)
        #expect(state.session.requestCounts.exchanges.sent == 5_026)
        #expect(state.session.feed.counts.messages == 5_174)
        #expect(state.screen(120, 40, script.now).openBorders.isEmpty)
    }

    @Test("endless renewals leave bounded histories")
    func renewals() {
        var script = EventScript.ordinary()
        for _ in 0..<1_200 {
            script.wait(10)
            script.renew()
        }
        let session = SessionSnapshot(folding: script.events)
        #expect(session.generations.count == SessionSnapshot.generationLimit)
        #expect(session.flights.count == SessionSnapshot.flightLimit)
        #expect(session.current?.generation == 1_207)
    }
}
