import Testing

@testable import Basics

@Suite("SleepQueue")
struct SleepQueueTests {
    private let time = VirtualTimekeeper()

    private var queue: SleepQueue {
        SleepQueue(now: { [time] in time.now }, wait: { [time] in try await time.sleep(until: $0) })
    }

    private static func instant(_ seconds: Double) -> Instant {
        Instant.origin.advanced(bySeconds: seconds)
    }

    /// Waits until the timer is set for an instant.
    private func timer(at instant: Instant) async {
        while time.nextDeadline != instant { await Task.yield() }
    }

    @Test("each sleep ends at its deadline, whatever the order in which they begin")
    func order() async throws {
        let queue = queue
        for seconds in [3.0, 1, 2] {
            let start = time.now
            let deadlines = [seconds + 10, seconds].map { start.advanced(bySeconds: $0) }
            let sleeps = deadlines.map { deadline in
                Task { try await queue.sleep(until: deadline) }
            }
            for (sleep, deadline) in zip(sleeps, deadlines).reversed() {
                await timer(at: deadline)
                time.advance(to: deadline)
                try await sleep.value
            }
        }
    }

    @Test("a sleep whose deadline is over ends at once")
    func over() async throws {
        time.advance(by: .seconds(5))
        try await queue.sleep(until: Self.instant(5))
    }

    @Test("a sleep that is cancelled ends, and the next one rings at its own deadline")
    func cancelled() async throws {
        let queue = queue
        let first = Task { try await queue.sleep(until: Self.instant(1)) }
        await timer(at: Self.instant(1))
        let second = Task { try await queue.sleep(until: Self.instant(2)) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        time.advance(by: .seconds(1))
        await timer(at: Self.instant(2))
        time.advance(by: .seconds(1))
        try await second.value
    }

    @Test("a task that is cancelled already does not sleep")
    func cancelledBefore() async {
        let queue = queue
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await queue.sleep(until: Self.instant(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a thousand sleeps need one timer")
    func one() async throws {
        let queue = queue
        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in 1...1_000 {
                group.addTask { try await queue.sleep(until: Self.instant(Double(place))) }
            }
            await timer(at: Self.instant(1))
            time.advance(by: .seconds(1))
            try await group.next()
            await timer(at: Self.instant(2))
            time.advance(by: .seconds(998))
            for _ in 2...999 { try await group.next() }
            await timer(at: Self.instant(1_000))
            time.advance(by: .seconds(1))
        }
    }
}
