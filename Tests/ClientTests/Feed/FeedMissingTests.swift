import Basics
import Client
import FoundationEssentials
import Profiles
import Testing

@testable import Model

@Suite("FeedMachine: messages that are missing within a socket")
struct FeedMissingTests {
    private static func missing(_ harness: FeedHarness) -> [FeedMessagesMissing] {
        harness.events.compactMap { $0 as? FeedMessagesMissing }
    }

    private static func lost(_ harness: FeedHarness) -> Int {
        let events = harness.events.map { event in
            SessionEvent(
                moment: Moment(now: .origin, wall: Date(timeIntervalSince1970: 0)),
                session: SessionID("1"),
                profile: "app",
                login: 1,
                generation: 1,
                kind: event
            )
        }
        return SessionSnapshot(folding: events).feed.counts.lost
    }

    @Test("are told with their numbers, and counted")
    func gap() {
        let harness = FeedHarness.open()
        for seq in [1, 2, 3, 6, 7, 9] as [Int64] { harness.message(seq, on: 1) }
        #expect(
            Self.missing(harness) == [
                FeedMessagesMissing(socket: 1, after: 3, before: 6),
                FeedMessagesMissing(socket: 1, after: 7, before: 9),
            ]
        )
        #expect(Self.lost(harness) == 3)
    }

    @Test("are no longer missing once they come")
    func late() {
        let harness = FeedHarness.open()
        for seq in [1, 2, 5, 3, 4, 6] as [Int64] { harness.message(seq, on: 1) }
        #expect(Self.missing(harness).count == 1)
        #expect(Self.lost(harness) == 0)
    }

    @Test("are none where numbers never follow each other")
    func steps() {
        let harness = FeedHarness.open()
        for seq in stride(from: Int64(10), through: 100, by: 10) { harness.message(seq, on: 1) }
        #expect(Self.missing(harness).isEmpty)
    }

    @Test("are those of the switch after a break, and told once")
    func afterBreak() {
        let harness = FeedHarness.open()
        for seq in [1, 2, 3] as [Int64] { harness.message(seq, on: 1) }
        harness.close(1, code: 1006, by: .transport)
        harness.advance(harness.waitsFor ?? 0)
        harness.send(.opened(socket: 2))
        for seq in [6, 7] as [Int64] { harness.message(seq, on: 2) }
        #expect(harness.switches.map(\.gap) == [2])
        #expect(Self.missing(harness).isEmpty)
    }
}
