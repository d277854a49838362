import Testing
import Timekeeping

@Suite("LiveTimekeeper")
struct LiveTimekeeperTests {
    @Test("its instants count from its own start and never go back")
    func monotonic() {
        let time = LiveTimekeeper()
        let first = time.now
        #expect(first >= .origin)
        #expect(time.now >= first)
    }

    @Test("a sleep ends at its deadline or later")
    func sleeps() async throws {
        let time = LiveTimekeeper()
        let deadline = time.now + .milliseconds(2)
        try await time.sleep(until: deadline)
        #expect(time.now >= deadline)
    }
}
