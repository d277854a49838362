import Basics
import Client
import FoundationEssentials
import Observer
import Testing

@testable import Model

@Suite("Event hub: every reader, every event")
struct EventHubTests {
    private static func event(_ number: Int) -> SessionEvent {
        SessionEvent(
            moment: Moment(now: .origin, wall: Date(timeIntervalSince1970: 0)),
            session: SessionID("test"),
            profile: "test",
            login: number,
            generation: 0,
            kind: RenewalPaused(.timer, by: .user)
        )
    }

    private static func read(_ stream: EventStream) async -> [SessionEvent] {
        await stream.reduce(into: []) { $0.append($1) }
    }

    @Test("each reader gets everything in order, up to the capacity")
    func lossless() async {
        let hub = EventHub()
        let readers = [hub.events(), hub.events()]
        for number in 0..<EventHub.capacity { hub.send(Self.event(number)) }
        hub.finish()
        for reader in readers {
            #expect(await Self.read(reader).map(\.login) == Array(0..<EventHub.capacity))
        }
    }

    @Test("what a slow reader lost is told once, in its place")
    func dropped() async {
        let hub = EventHub()
        let reader = hub.events()
        for number in 0..<EventHub.capacity + 7 { hub.send(Self.event(number)) }
        var iterator = reader.makeAsyncIterator()
        for _ in 0..<EventHub.capacity / 2 + 1 { _ = await iterator.next() }
        hub.send(Self.event(-1))
        hub.finish()
        var rest: [SessionEvent] = []
        while let event = await iterator.next() { rest.append(event) }
        #expect(rest.count == EventHub.capacity / 2 - 1 + 2)
        #expect(rest.dropLast().last?.kind as? EventsDropped == EventsDropped(count: 7))
        #expect(rest.last?.login == -1)
    }

    @Test("a reader that stays slow is not told of every event that it loses")
    func noFlood() async {
        let hub = EventHub()
        var iterator = hub.events().makeAsyncIterator()
        for number in 0..<EventHub.capacity { hub.send(Self.event(number)) }
        for _ in 0..<EventHub.capacity {
            for _ in 0..<3 { hub.send(Self.event(-1)) }
            _ = await iterator.next()
        }
        hub.finish()
        var notices: [Int] = []
        var rest = 0
        while let event = await iterator.next() {
            rest += 1
            if let count = (event.kind as? EventsDropped)?.count { notices.append(count) }
        }
        #expect(notices.count <= 3)
        #expect(notices.reduce(0, +) + rest - notices.count == 3 * EventHub.capacity)
    }

    @Test("a reader gets only the events that it wants, and misses none for the others")
    func wanted() async {
        let hub = EventHub()
        var iterator = hub.events { $0.login.isMultiple(of: 100) }.makeAsyncIterator()
        for number in 1...3 * EventHub.capacity { hub.send(Self.event(number)) }
        hub.finish()
        var logins: [Int] = []
        while let event = await iterator.next() { logins.append(event.login) }
        #expect(logins == Array(stride(from: 100, through: 3 * EventHub.capacity, by: 100)))
    }

    @Test("what was sent together is read together, within the limit of a batch")
    func batches() async {
        let hub = EventHub()
        let reader = hub.events { $0.login != 1 }
        hub.send((0..<3).map(Self.event))
        var batches = reader.batches.makeAsyncIterator()
        #expect(await batches.next()?.map(\.login) == [0, 2])
        hub.send((0..<EventHub.batchLimit + 2).map { _ in Self.event(7) })
        hub.finish()
        #expect(await batches.next()?.count == EventHub.batchLimit)
        #expect(await batches.next()?.count == 2)
        #expect(await batches.next() == nil)
    }

    @Test("a lossless reader gets everything; the others wait for it, until it has read half")
    func waits() async {
        let hub = EventHub()
        var iterator = hub.events(isLossless: true).makeAsyncIterator()
        for number in 0..<EventHub.capacity { hub.send(Self.event(number)) }
        #expect(hub.isFull)
        async let waited: Void = hub.room()
        // Events that do not wait are not lost either.
        hub.send(Self.event(EventHub.capacity))
        for number in 0...EventHub.capacity / 2 {
            #expect(hub.isFull)
            #expect(await iterator.next()?.login == number)
        }
        #expect(!hub.isFull)
        await waited
        hub.finish()
        var last = 0
        while let event = await iterator.next() { last = event.login }
        #expect(last == EventHub.capacity)
    }

    @Test(
        "no source waits for a lossless reader that has left, or been cancelled, or after the end",
        .timeLimit(.minutes(20)),
        arguments: ["left", "cancelled", "end", "waiter"]
    )
    func noReader(why: String) async {
        let hub = EventHub()
        var stream: EventStream? = hub.events(isLossless: true)
        for number in 0..<EventHub.capacity { hub.send(Self.event(number)) }
        let waiter = Task { await hub.room() }
        switch why {
        case "left": stream = nil
        case "cancelled":
            let reader = Task { [stream] in
                withUnsafeCurrentTask { $0?.cancel() }
                for await _ in stream ?? hub.events() {}
            }
            await reader.value
        case "end": hub.finish()
        default: waiter.cancel()
        }
        await waiter.value
        #expect(hub.isFull == (why == "waiter"))
        withExtendedLifetime(stream) {}
    }

    @Test("a reader that comes after the end reads nothing and ends")
    func late() async {
        let hub = EventHub()
        hub.finish()
        #expect(await Self.read(hub.events()).isEmpty)
    }

    @Test("a reader may stop in the middle of a send", .timeLimit(.minutes(20)))
    func stopsDuringSend() async {
        let hub = EventHub()
        for _ in 0..<500 {
            let stream = hub.events()
            let (began, beginning) = AsyncStream.makeStream(of: Void.self)
            let reader = Task.detached {
                for await _ in stream { beginning.yield() }
            }
            let sender = Task.detached {
                for number in 0..<1000 { hub.send(Self.event(number)) }
            }
            for await _ in began { break }
            reader.cancel()
            await sender.value
            await reader.value
        }
        let last = hub.events()
        hub.send(Self.event(1))
        hub.finish()
        #expect(await Self.read(last).map(\.login) == [1])
    }
}
