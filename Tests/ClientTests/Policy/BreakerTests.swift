import Basics
import Client
import Model
import Testing

@Suite("Breaker: a backend that rejects fresh tokens")
struct BreakerTests {
    private static func at(_ seconds: Double) -> Instant {
        .origin.advanced(bySeconds: seconds)
    }

    @Test("the sixth flight within the window opens it for 30 s")
    func flights() {
        var breaker = Breaker()
        for second in 0..<5 {
            #expect(breaker.recordFlight(at: Self.at(Double(second)), lifetime: 60) == nil)
        }
        #expect(breaker.recordFlight(at: Self.at(5), lifetime: 60) == Self.at(35))
        #expect(breaker.isOpen(at: Self.at(34.9)))
        #expect(!breaker.isOpen(at: Self.at(35)))
    }

    @Test(
        "the window is three lifetimes, but 10 to 30 s",
        arguments: [(1.0, 10.0), (5, 15), (60, 30)]
    )
    func window(lifetime: Double, window: Double) {
        var breaker = Breaker()
        for _ in 0..<5 { _ = breaker.recordFlight(at: .origin, lifetime: lifetime) }
        var early = breaker
        #expect(early.recordFlight(at: Self.at(window), lifetime: lifetime) != nil)
        #expect(breaker.recordFlight(at: Self.at(window + 0.1), lifetime: lifetime) == nil)
    }

    @Test("two rejections of tokens younger than 5 s or a quarter of their life open it")
    func youngTokens() {
        var breaker = Breaker()
        let first = breaker.recordRejection(generation: 1, age: 1, lifetime: 60, at: Self.at(1))
        #expect(first == nil)
        let second = breaker.recordRejection(generation: 2, age: 1, lifetime: 60, at: Self.at(3))
        #expect(second == Self.at(33))
    }

    @Test("parallel rejections of one generation count once")
    func sameGeneration() {
        var breaker = Breaker()
        for _ in 0..<10 {
            let until = breaker.recordRejection(generation: 1, age: 1, lifetime: 60, at: Self.at(1))
            #expect(until == nil)
        }
    }

    @Test("rejections of older tokens do not count", arguments: [(5.0, 60.0), (2.5, 10), (50, 60)])
    func oldTokens(age: Double, lifetime: Double) {
        var breaker = Breaker()
        for generation in 1...4 {
            let until = breaker.recordRejection(
                generation: generation,
                age: age,
                lifetime: lifetime,
                at: Self.at(Double(generation))
            )
            #expect(until == nil)
        }
    }

    @Test("it opens for 30, 60, 120 and again 120 s while nothing gets better")
    func longerAndLonger() {
        var breaker = Breaker()
        var pauses: [Double] = []
        var generation = 0
        for second in stride(from: 0.0, to: 2000, by: 500) {
            for _ in 0..<2 {
                generation += 1
                let until = breaker.recordRejection(
                    generation: generation,
                    age: 0,
                    lifetime: 60,
                    at: Self.at(second)
                )
                if let until { pauses.append(until.seconds(since: Self.at(second))) }
            }
        }
        #expect(pauses == [30, 60, 120, 120])
    }

    @Test("a token that proved good lets it start over")
    func recovers() {
        var breaker = Breaker()
        _ = breaker.recordRejection(generation: 1, age: 0, lifetime: 60, at: Self.at(0))
        _ = breaker.recordRejection(generation: 2, age: 0, lifetime: 60, at: Self.at(0))
        breaker.recordAccepted(age: 1, lifetime: 60)
        breaker.recordAccepted(age: 20, lifetime: 60)
        _ = breaker.recordRejection(generation: 3, age: 0, lifetime: 60, at: Self.at(100))
        let until = breaker.recordRejection(generation: 4, age: 0, lifetime: 60, at: Self.at(100))
        #expect(until == Self.at(130))
    }
}
