import FoundationEssentials
import Testing

@testable import Basics

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

    @Test("one answer bounds the server's clock from below, and says what is likely above")
    func oneSample() throws {
        let offset = try #require(Self.sample(ahead: 10))
        #expect(offset.low == 9.5)
        #expect(offset.high == nil)
        #expect(offset.likelyHigh == 11)
        #expect(offset.likelyWidth == 1.5)
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

    @Test("an interval has its ends in order, however it was written")
    func order() {
        let offset = ServerOffset(low: 3, likelyHigh: 1, high: 2)
        #expect(offset == ServerOffset(low: 3, likelyHigh: 3, high: 3))
        #expect(ServerOffset(low: 0, likelyHigh: 4, high: 2).likelyHigh == 2)
    }
}

@Suite("ServerDates")
struct ServerDatesTests {
    private static let start = Date(timeIntervalSince1970: 1_000_000)

    /// - Parameter answers: When each request is sent, and its answer's `Date`, in seconds.
    /// - Returns: The estimate after them, with round trips of 0.2 s.
    private static func offset(after answers: (sent: Double, date: Double)...) -> ServerOffset? {
        var dates = ServerDates()
        for answer in answers {
            dates.add(
                start.addingTimeInterval(answer.date),
                sentAt: start.addingTimeInterval(answer.sent),
                receivedAt: start.addingTimeInterval(answer.sent + 0.2)
            )
        }
        return dates.offset
    }

    private static func isNear(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 - expected) < 0.01 } ?? false
    }

    @Test("a Date that is 1.3 s old is no sign of a clock that is behind")
    func cached() throws {
        let offset = try #require(Self.offset(after: (1.1, 0)))
        #expect(Self.isNear(offset.low, -1.3))
        #expect(offset.high == nil)
    }

    @Test("the same Date again bounds nothing from above, however long ago it was written")
    func unmoved() throws {
        let offset = try #require(Self.offset(after: (0, 0), (0.3, 0), (1.2, 0)))
        #expect(offset.high == nil)
        #expect(Self.isNear(offset.low, -0.2))
    }

    @Test("a Date that has moved was written after the request that got the one before")
    func moved() throws {
        let offset = try #require(Self.offset(after: (0.1, 0), (0.8, 0), (2.5, 2)))
        #expect(Self.isNear(offset.high, 2 + ServerDates.repetition - 0.8))
    }

    @Test("all bounds are likely as long as each Date may be its response's own")
    func narrowing() throws {
        let offset = try #require(Self.offset(after: (0.7, 0), (5, 5), (6.9, 6)))
        #expect(Self.isNear(offset.low, -0.2))
        #expect(Self.isNear(offset.likelyHigh, 0.1))
    }

    @Test("once a Date was old, the freshest one decides what is likely")
    func freshest() throws {
        let offset = try #require(Self.offset(after: (0.7, 0), (5, 5), (7.5, 6), (8.9, 8)))
        #expect(Self.isNear(offset.low, -0.2))
        #expect(Self.isNear(offset.likelyHigh, 1))
    }

    @Test(
        "after one of the clocks was set, only the newest answer counts",
        arguments: [-1800.0, -60, -5, 60, 1800]
    )
    func step(by seconds: Double) throws {
        let answers = [(sent: 0.0, date: 0.0), (sent: 5, date: 5)]
        let offset = try #require(
            Self.offset(after: answers[0], answers[1], (sent: 6, date: 6 + seconds))
        )
        #expect(Self.isNear(offset.low, seconds - 0.2))
    }

    @Test("what was measured long ago has widened by the drift of the clocks")
    func drift() throws {
        let known = ServerOffset(low: -0.1, likelyHigh: 0.9, high: 1.5)
        var dates = ServerDates(known, measuredAt: Self.start)
        let later = Self.start.addingTimeInterval(2000)
        dates.add(later.addingTimeInterval(-1.5), sentAt: later, receivedAt: later)
        let offset = try #require(dates.offset)
        #expect(Self.isNear(offset.low, -1.1))
        #expect(Self.isNear(offset.high, 2.5))
    }

    /// A server's processes, each of which writes its `Date` once in a while and repeats it.
    private struct Server {
        let ahead: Double
        /// Seconds from one `Date` to the next; 0 if each answer has its own.
        let period: Double
        let phases: [Double]

        init(ahead: Double, period: Double, processes: Int, _ random: inout SeededGenerator) {
            self.ahead = ahead
            self.period = period
            phases = (0..<processes).map { _ in -random.uniform(0...10) }
        }

        /// The `Date` of an answer that is generated at `time` of authtop's clock, in seconds.
        func date(at time: Double, process: Int) -> Double {
            let age =
                period == 0 ? 0 : (time - phases[process]).truncatingRemainder(dividingBy: period)
            return (time - age + ahead).rounded(.down)
        }

        /// Takes in one answer of any process.
        func answer(
            to dates: inout ServerDates,
            _ time: inout Double,
            _ random: inout SeededGenerator
        ) {
            let generated = time + random.uniform(0...1)
            let received = generated + random.uniform(0...1)
            let process = Int.random(in: phases.indices, using: &random)
            dates.add(
                start.addingTimeInterval(date(at: generated, process: process)),
                sentAt: start.addingTimeInterval(time),
                receivedAt: start.addingTimeInterval(received)
            )
            time = received
        }
    }

    private static func one(of values: [Double], _ random: inout SeededGenerator) -> Double {
        values[Int.random(in: values.indices, using: &random)]
    }

    @Test(
        "the stated interval contains the truth, however old a repeated Date is",
        arguments: UInt64(0)..<40
    )
    func containment(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let ahead = [0, random.uniform(-2...2), random.uniform(-400...400)]
            let period = Self.one(
                of: [0, random.uniform(0...1.5), random.uniform(0...8)],
                &random
            )
            let mayBeSeveral = period <= ServerDates.repetition
            let server = Server(
                ahead: Self.one(of: ahead, &random),
                period: period,
                processes: mayBeSeveral ? Int.random(in: 1...4, using: &random) : 1,
                &random
            )
            var dates = ServerDates()
            var time = 1000.0
            for _ in 0..<30 {
                let pauses = [0.3, 3, 60].map { random.uniform(0...$0) }
                time += Self.one(of: pauses, &random)
                server.answer(to: &dates, &time, &random)
                let offset = try #require(dates.offset)
                #expect(offset.low <= server.ahead + 1e-6)
                #expect(offset.high ?? .infinity >= server.ahead - 1e-6)
            }
        }
    }

    @Test(
        "where a Date is written for each answer, the truth is between the likely ends",
        arguments: UInt64(0)..<20
    )
    func likely(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ahead = random.uniform(-400...400)
        let server = Server(ahead: ahead, period: 0, processes: 1, &random)
        var dates = ServerDates()
        var time = 1000.0
        for _ in 0..<30 {
            time += random.uniform(0...60)
            server.answer(to: &dates, &time, &random)
            let offset = try #require(dates.offset)
            #expect(offset.low <= ahead + 1e-6)
            #expect(offset.likelyHigh >= ahead - 1e-6)
            #expect(offset.likelyWidth <= 3.1)
        }
    }
}
