import FoundationEssentials
import Testing
import Tokens

@Suite("ServerOffset")
struct ServerOffsetTests {
    private static let sent = Date(timeIntervalSince1970: 1_000_000)

    private static func sample(
        ahead: Double,
        roundTrip: Double = 0.5
    ) -> ServerOffset? {
        ServerOffset(
            date: sent.addingTimeInterval(ahead),
            sentAt: sent,
            receivedAt: sent.addingTimeInterval(roundTrip)
        )
    }

    @Test("one answer says as much as its round trip and its whole second allow")
    func oneSample() throws {
        let offset = try #require(Self.sample(ahead: 10))
        #expect(offset.low == 9.5)
        #expect(offset.high == 11)
        #expect(offset.width == 1.5)
    }

    @Test(
        "a sample wider than 10 s says nothing",
        arguments: [(8.9, true), (9.0, true), (9.1, false), (60, false)]
    )
    func wideSamples(roundTrip: Double, isUsable: Bool) {
        #expect((Self.sample(ahead: 0, roundTrip: roundTrip) != nil) == isUsable)
    }

    @Test("an answer that came before its request, by a stepped clock, says nothing")
    func backwards() {
        #expect(Self.sample(ahead: 0, roundTrip: -5) == nil)
    }

    @Test("a Date that a server keeps for 1.3 s sets its clock back by at most 0.3 s")
    func cachedDate() throws {
        // Both clocks agree; the server writes its `Date` anew every 1.3 s.
        var offset: ServerOffset?
        for age in [0, 0.4, 0.9, 1.3, 0.2, 1.3, 1.1] {
            let sample = try #require(Self.sample(ahead: -age, roundTrip: 0))
            let narrowed = offset?.narrowed(by: sample) ?? sample
            #expect(narrowed.low <= 0, "the server's clock is never earlier than its Date")
            #expect(narrowed.high > -0.31)
            offset = narrowed
        }
    }

    @Test("two samples leave what both allow")
    func intersection() {
        let narrowed = ServerOffset(low: 0, high: 1.5).narrowed(by: ServerOffset(low: 1, high: 3))
        #expect(narrowed == ServerOffset(low: 1, high: 1.5))
    }

    @Test("samples that touch in one point leave that point")
    func touching() {
        let narrowed = ServerOffset(low: 0, high: 1).narrowed(by: ServerOffset(low: 1, high: 2))
        #expect(narrowed.width == 0)
    }

    @Test("samples that contradict each other start over with the newer one")
    func restart() {
        let newer = ServerOffset(low: 60, high: 61)
        #expect(ServerOffset(low: 0, high: 1).narrowed(by: newer) == newer)
    }

    @Test("an interval has its ends in order, however it was written")
    func order() {
        #expect(ServerOffset(low: 3, high: 1) == ServerOffset(low: 1, high: 3))
    }
}
