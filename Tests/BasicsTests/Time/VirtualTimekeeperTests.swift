import FoundationEssentials
import Synchronization
import Testing

@testable import Basics

@Suite("VirtualTimekeeper")
struct VirtualTimekeeperTests {
    private let time = VirtualTimekeeper()

    @Test("nothing passes by itself, and both clocks move together")
    func moves() {
        let before = time.moment
        #expect(time.moment == before)
        time.advance(by: .seconds(90))
        #expect(time.now == before.now + .seconds(90))
        #expect(time.wall == before.wall.addingTimeInterval(90))
    }

    @Test("time never goes back")
    func neverBack() {
        time.advance(by: .seconds(10))
        time.advance(to: .origin + .seconds(5))
        time.advance(by: .seconds(-5))
        #expect(time.now == .origin + .seconds(10))
    }

    @Test("the wall clock can be set, and the monotonic one does not notice")
    func wallStep() {
        let before = time.moment
        time.stepWall(bySeconds: -3600)
        #expect(time.now == before.now)
        #expect(time.wall == before.wall.addingTimeInterval(-3600))
    }

    @Test("a sleeper wakes at its deadline and not before")
    func wakesOnTime() async throws {
        let woken = Woken()
        let time = time
        async let sleep: Void = {
            try await time.sleep(until: .origin + .seconds(10))
            woken.record(10)
        }()
        await time.waitForSleepers()
        #expect(time.nextDeadline == .origin + .seconds(10))
        time.advance(by: .seconds(9.999))
        #expect(time.nextDeadline == .origin + .seconds(10))
        #expect(woken.seconds.isEmpty)
        time.advance(to: .origin + .seconds(10))
        try await sleep
        #expect(woken.seconds == [10])
        #expect(time.nextDeadline == nil)
    }

    @Test("a deadline that has passed is not slept on", arguments: [0.0, -1])
    func pastDeadline(seconds: Double) async throws {
        try await time.sleep(until: time.now.advanced(bySeconds: seconds))
        #expect(time.nextDeadline == nil)
    }

    @Test("the sleepers can be waited for, all of them")
    func waitsForSleepers() async throws {
        let time = time
        await withThrowingTaskGroup(of: Void.self) { group in
            for second in 1...5 {
                group.addTask { try await time.sleep(until: .origin + .seconds(second)) }
            }
            await time.waitForSleepers(5)
            await time.waitForSleepers(1)
            #expect(time.nextDeadline == .origin + .seconds(1))
            time.advance(by: .seconds(3))
            #expect(time.nextDeadline == .origin + .seconds(4))
            time.advance(by: .seconds(2))
        }
    }

    @Test("moved from deadline to deadline, sleepers wake in the order of their deadlines")
    func order() async throws {
        let time = time
        let woken = Woken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for second in [3, 1, 2] {
                group.addTask {
                    try await time.sleep(until: .origin + .seconds(second))
                    woken.record(second)
                }
            }
            await time.waitForSleepers(3)
            while let next = time.nextDeadline {
                time.advance(to: next)
                try await group.next()
            }
        }
        #expect(woken.seconds == [1, 2, 3])
    }

    @Test("a cancelled sleeper throws at once and leaves nothing behind")
    func cancellation() async {
        let time = time
        let task = Task { try await time.sleep(until: .origin + .seconds(10)) }
        await time.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.nextDeadline == nil)
    }

    @Test("a task that is cancelled already does not begin to sleep")
    func cancelledBefore() async {
        let time = time
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { try await time.sleep(until: .origin + .seconds(10)) }
                try await group.waitForAll()
            }
        }
        #expect(time.nextDeadline == nil)
    }
}

/// The sleepers that woke, in order.
private final class Woken: Sendable {
    private let list = Mutex<[Int]>([])

    var seconds: [Int] { list.withLock { $0 } }

    func record(_ second: Int) {
        list.withLock { $0.append(second) }
    }
}
