import Basics
import Testing

@testable import Backend

@Suite("Backend: what each fault does to a feed")
struct FeedFaultTests {
    private func decision(_ moment: FeedMoment, _ fault: FeedFault) -> FeedDecision {
        var random = SeededGenerator(seed: 1)
        return FeedDecision(moment, under: [fault], drawing: &random)
    }

    @Test("a refusal takes the place of the upgrade")
    func refusal() {
        #expect(decision(.dialed, .feedRefuse).refusal == 403)
        #expect(decision(.dialed, .feedRefuse.set(to: 503)).refusal == 503)
    }

    @Test(
        "a close has the code that was asked for, or the usual one",
        arguments: [
            (FeedFault.feedCloseOnOpen, 1008 as UInt16), (.feedCloseOnOpen.set(to: 4401), 4401),
            (.feedClose, 1011), (.feedClose.set(to: 1006), 1006), (.feedExpiry, 4401),
            (.feedExpiry.set(to: 4001), 4001),
        ]
    )
    func close(fault: FeedFault, code: UInt16) {
        #expect(decision(.dialed, fault).close?.code == code)
    }

    @Test("without a fault a message is sent once, and with one twice")
    func copies() {
        var random = SeededGenerator(seed: 1)
        #expect(FeedDecision(.message, drawing: &random).copies == 1)
        #expect(decision(.message, .feedDuplicates).copies == 2)
    }

    @Test("a silent socket is frozen, and neither closed nor refused")
    func silent() {
        let decision = decision(.message, .feedSilent)
        #expect(decision.isFrozen)
        #expect(decision.close == nil)
        #expect(decision.refusal == nil)
    }
}
