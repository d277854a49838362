import Basics
import Testing

@testable import Client

@Suite("FlightQueue: whose turn it is")
struct FlightQueueTests {
    private static func end(_ seconds: Double) -> FlightUrgency {
        .beforeEnd(Instant.origin.advanced(bySeconds: seconds))
    }

    @Test("as many begin at once as there are places, and the next one with the first that leaves")
    func limit() {
        var queue = FlightQueue(limit: 2)
        let entered = (0..<3).map { _ in queue.enter(.login) }
        #expect(entered.map { $0.begins } == [true, true, false])
        #expect(queue.leave(entered[1].number) == entered[2].number)
        #expect(queue.leave(entered[0].number) == nil)
        #expect(queue.enter(.login).begins)
        #expect(!queue.enter(.login).begins)
    }

    @Test("the most urgent one is next: one that is waited for, the earliest end, then a login")
    func urgency() {
        var queue = FlightQueue(limit: 1)
        var active = queue.enter(.login).number
        let urgencies: [FlightUrgency] = [
            .login, Self.end(20), Self.end(10), .awaited, Self.end(-5),
        ]
        let numbers = urgencies.map { queue.enter($0).number }
        for place in [3, 4, 2, 1, 0] {
            let next = queue.leave(active)
            #expect(next == numbers[place])
            active = next ?? 0
        }
        #expect(queue.leave(active) == nil)
    }

    @Test("the first of those that are equally urgent is next")
    func order() {
        var queue = FlightQueue(limit: 1)
        var active = queue.enter(.awaited).number
        let numbers = (0..<5).map { _ in queue.enter(Self.end(10)).number }
        for number in numbers {
            let next = queue.leave(active)
            #expect(next == number)
            active = next ?? 0
        }
    }

    @Test("one that waits no longer is passed over, and nobody begins because of it")
    func given() {
        var queue = FlightQueue(limit: 1)
        let active = queue.enter(.login).number
        let first = queue.enter(.awaited).number
        let second = queue.enter(.login).number
        #expect(queue.leave(first) == nil)
        #expect(!queue.isActive(first))
        #expect(queue.leave(active) == second)
        #expect(queue.leave(first) == nil)
    }
}
