import Basics
import Client
import Model
import Testing

@Suite("FeedMachine: which messages are the same")
struct FeedIdentityTests {
    @Test("equal messages without an id or a number are messages of their own")
    func heartbeats() {
        let harness = FeedHarness.open()
        for _ in 0..<5 { harness.text("heartbeat", on: 1) }
        #expect(harness.applied.count == 5)
        #expect(harness.duplicates == 0)
    }

    @Test("during a switch, each message that both sockets bring is applied once")
    func switching() {
        let harness = FeedHarness.open()
        harness.text("heartbeat", on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        for text in ["a", "heartbeat", "heartbeat", "b"] {
            harness.text(text, on: 1)
            harness.text(text, on: 2)
        }
        harness.text("c", on: 2)
        harness.advance(1)
        harness.close(1, code: 1000, by: .us)
        #expect(harness.applied == ["heartbeat", "a", "heartbeat", "heartbeat", "b", "c"])
        #expect(harness.switches.map(\.duplicates) == [4])
    }

    @Test("copies that the new socket brings after the old one has ended are not applied")
    func lateCopies() {
        let harness = FeedHarness.open()
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.text("a", on: 1)
        harness.advance(2)
        harness.close(1, code: 1000, by: .us)
        harness.text("a", on: 2)
        harness.text("a", on: 2)
        #expect(harness.applied == ["a", "a"])
        harness.advance(10)
        harness.text("a", on: 2)
        #expect(harness.applied.count == 3)
    }

    @Test("numbered copies that come after the switch are not the server's duplicates")
    func overlap() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.message(2, on: 2)
        for seq in 2...9 { harness.message(Int64(seq), on: 1) }
        harness.close(1, code: 1000, by: .us)
        for seq in 3...10 { harness.message(Int64(seq), on: 2) }
        #expect(harness.applied == (1...10).map(String.init))
        #expect(harness.duplicates == 0)
    }

    @Test("what one socket brings twice during a switch is the server's duplicate")
    func duplicateDuringSwitch() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.message(1, on: 1)
        #expect(harness.duplicates == 1)
    }

    @Test("a server that counts from 1 again has new messages", arguments: [75, 5000])
    func restart(last: Int64) {
        let harness = FeedHarness.open()
        for seq in 1...last { harness.message(seq, on: 1) }
        harness.close(1, code: 1012)
        harness.advance(1)
        harness.send(.opened(socket: 2))
        for seq in 1...(last + 2) { harness.message(seq, on: 2, "again \(seq)") }
        #expect(harness.duplicates == 0)
        #expect(harness.applied.suffix(Int(last) + 2).first == "again 1")
        #expect(harness.switches.isEmpty)
    }

    @Test("a server that repeats what it has sent has not started over")
    func replay() {
        let harness = FeedHarness.open()
        for seq in 1...75 { harness.message(Int64(seq), on: 1) }
        harness.close(1, code: 1012)
        harness.advance(1)
        harness.send(.opened(socket: 2))
        for seq in 70...76 { harness.message(Int64(seq), on: 2) }
        #expect(harness.duplicates == 6)
        #expect(harness.applied.suffix(2) == ["75", "76"])
    }
}
