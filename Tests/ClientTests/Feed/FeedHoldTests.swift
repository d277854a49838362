import Basics
import Client
import Model
import Testing

@Suite("FeedMachine: while no socket is read")
struct FeedHoldTests {
    @Test("an open socket is neither pinged nor given up, and afterwards it is asked again")
    func liveness() {
        let harness = FeedHarness.open()
        harness.advance(22)
        #expect(harness.pings.count == 2)
        harness.send(.held(true))
        harness.advance(600)
        #expect(harness.pings.count == 2)
        #expect(harness.closes.isEmpty)
        harness.send(.held(false))
        harness.advance(9.9)
        #expect(harness.closes.isEmpty)
        harness.advance(0.1)
        #expect(harness.closes.map(\.code) == [1001])
    }

    @Test("the old socket of a switch is read to its end, however long that waits")
    func switching() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.token(2)
        harness.send(.held(true))
        harness.send(.opened(socket: 2))
        harness.advance(600)
        #expect(harness.closes.isEmpty)
        harness.send(.held(false))
        harness.message(2, on: 1)
        harness.message(3, on: 2)
        harness.close(1, code: 1000, by: .us)
        #expect(harness.applied == ["1", "2", "3"])
    }

    @Test("a broken feed is dialed again all the same")
    func redial() {
        let harness = FeedHarness.open()
        harness.send(.held(true))
        harness.close(1, code: 1006, by: .transport)
        harness.advance(1)
        #expect(harness.dials.count == 2)
    }
}
