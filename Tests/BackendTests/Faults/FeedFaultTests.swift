import Basics
import Testing

@testable import Backend
@testable import Model

@Suite("Backend: what each fault does to a feed")
struct FeedFaultTests {
    private func decision(_ moment: FeedMoment, _ fault: Fault) -> FeedDecision {
        FeedDecision(moment, under: [fault])
    }

    @Test("a refusal takes the place of the upgrade")
    func refusal() {
        #expect(decision(.dialed, .feedRefuse).refusal == 403)
        #expect(decision(.dialed, .feedRefuse.set(to: 503)).refusal == 503)
    }

    @Test(
        "a close has the code that was asked for, or the usual one",
        arguments: [
            (Fault.feedCloseOnOpen, 1008 as UInt16), (.feedCloseOnOpen.set(to: 4401), 4401),
            (.feedClose, 1011), (.feedClose.set(to: 1006), 1006), (.feedExpiry, 4401),
            (.feedExpiry.set(to: 4001), 4001),
        ]
    )
    func close(fault: Fault, code: UInt16) {
        #expect(decision(.dialed, fault).close?.code == code)
    }

    @Test("without a fault a message is sent once, and with one twice")
    func copies() {
        #expect(FeedDecision(.message).copies == 1)
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
