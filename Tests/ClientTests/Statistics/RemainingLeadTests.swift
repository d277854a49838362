import Client
import Testing

@testable import Model

@Suite("Statistics: lead left")
struct RemainingLeadTests {
    @Test(
        "the least of all, and the median",
        arguments: [
            ([5], 5, 5), ([9, 1, 5], 1, 5), ([4, 1, 3, 2], 1, 2.5), ([-2, 6], -2, 2),
            ([3, .nan, .infinity], 3, 3),
        ] as [([Double], Double, Double)]
    )
    func values(seconds: [Double], least: Double, median: Double) {
        var lead = RemainingLead()
        for seconds in seconds { lead.add(seconds) }
        #expect(lead.least == least)
        #expect(lead.median == median)
    }

    @Test("nothing is known before the first")
    func empty() {
        #expect(RemainingLead().least == nil)
        #expect(RemainingLead().median == nil)
    }

    @Test("the median is of the newest, the least of all, however many there were")
    func bounded() {
        var lead = RemainingLead()
        lead.add(0.5)
        for _ in 0..<10_000 { lead.add(2) }
        for _ in 0..<RemainingLead.limit { lead.add(7) }
        #expect(lead.least == 0.5)
        #expect(lead.median == 7)
    }
}
