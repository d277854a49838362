import Testing

@testable import Basics

@Suite("LiveTimekeeper")
struct LiveTimekeeperTests {
    @Test("its instants count from its own start and never go back")
    func monotonic() {
        let time = LiveTimekeeper()
        let first = time.now
        #expect(first >= .origin)
        #expect(time.now >= first)
    }

    @Test("it knows how long the machine was suspended, and nothing passes while it is not")
    func suspended() throws {
        let time = LiveTimekeeper()
        let first = time.moment
        let second = time.moment
        #expect(first.suspended != nil)
        #expect(try #require(second.suspension(since: first)) < .seconds(1))
        #expect(second.suspension(since: Moment(now: .origin, wall: second.wall)) == nil)
    }

    @Test("a sleep ends at its deadline or later")
    func sleeps() async throws {
        let time = LiveTimekeeper()
        let deadline = time.now + .milliseconds(2)
        try await time.sleep(until: deadline)
        #expect(time.now >= deadline)
    }
}
