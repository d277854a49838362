import Basics
import Client
import Profiles
import Testing

@testable import Model

/// A server that numbers its messages and sends each to every open socket, each socket with delays
/// of its own.
private final class NumberedServer {
    private struct Socket {
        /// The first message that it is sent.
        let first: Int64
        var next: Int64
        var readyAt: Double
    }

    private var sockets: [Int: Socket] = [:]
    private var random: SeededGenerator
    private let maxDelay: Double
    private(set) var mostSockets = 0

    init(seed: UInt64, maxDelay: Double) {
        random = SeededGenerator(seed: seed)
        self.maxDelay = maxDelay
    }

    var openSockets: [Int] { sockets.keys.sorted() }

    func open(_ number: Int, since: String?, last: Int64, at time: Double) {
        let first = since.flatMap(Int64.init).map { $0 + 1 } ?? last + 1
        sockets[number] = Socket(first: first, next: first, readyAt: time)
        mostSockets = max(mostSockets, sockets.count)
    }

    func close(_ number: Int) {
        sockets[number] = nil
    }

    /// The next frame that arrives, on any socket, of those that were sent.
    func deliver(upTo last: Int64, at time: Double) -> (socket: Int, seq: Int64)? {
        let ready = sockets.filter { $0.value.next <= last && $0.value.readyAt <= time }
        guard let number = ready.keys.sorted().randomElement(using: &random),
            let seq = sockets[number]?.next
        else { return nil }
        sockets[number]?.next += 1
        sockets[number]?.readyAt = time + random.uniform(0...maxDelay)
        return (number, seq)
    }
}

@Suite("FeedMachine: applied = sent")
struct FeedExactnessTests {
    /// Runs a feed through many rotations under random interleavings.
    ///
    /// - Returns: The messages that were sent while a socket was open, those that were applied, and
    ///   the server.
    private static func run(
        seed: UInt64,
        following: FeedFollowing,
        asksSince: Bool,
        breaks: Bool
    ) -> (sent: Int64, harness: FeedHarness, most: Int) {
        var random = SeededGenerator(seed: seed)
        let harness = FeedHarness(following: following, asksSince: asksSince, seed: seed)
        let server = NumberedServer(seed: seed &+ 1, maxDelay: 0.2)
        var last: Int64 = 0
        var generation = 1
        var seenRejections = 0
        var seenDials = 0
        var seenCloses = 0
        var closing: [(socket: Int, at: Double)] = []
        var opening: [(socket: Int, since: String?, at: Double)] = []
        harness.token(1)
        var seenPings = 0
        // Fifty seconds of messages, and then as long as the longest wait.
        for step in 0..<1900 {
            harness.advance(0.05)
            let isLast = step > 1000
            if isLast, let wait = harness.waitsFor { harness.advance(wait) }
            while seenPings < harness.pings.count {
                harness.send(.pong(socket: harness.pings[seenPings]))
                seenPings += 1
            }
            if !isLast, !server.openSockets.isEmpty, random.uniform(0...1) < 0.3 { last += 1 }
            let isRejected = seenRejections < harness.rejections.count
            if isRejected || (!isLast && harness.hasApplied && random.uniform(0...1) < 0.02) {
                seenRejections = harness.rejections.count
                generation += 1
                harness.token(generation)
            }
            while seenDials < harness.dials.count {
                let dial = harness.dials[seenDials]
                seenDials += 1
                opening.append((dial.socket, dial.since, harness.seconds + random.uniform(0...1)))
            }
            for entry in opening where entry.at <= harness.seconds {
                server.open(entry.socket, since: entry.since, last: last, at: harness.seconds)
                harness.send(.opened(socket: entry.socket))
            }
            opening.removeAll { $0.at <= harness.seconds }
            while seenCloses < harness.closes.count {
                let close = harness.closes[seenCloses]
                seenCloses += 1
                closing.append((close.socket, harness.seconds + random.uniform(0...0.2)))
            }
            for entry in closing where entry.at <= harness.seconds {
                server.close(entry.socket)
                harness.send(.closed(socket: entry.socket, code: 1000, by: .us, reason: ""))
            }
            closing.removeAll { $0.at <= harness.seconds }
            if breaks, !isLast, harness.hasApplied, random.uniform(0...1) < 0.01,
                let victim = server.openSockets.randomElement(using: &random)
            {
                server.close(victim)
                let code = [1006, 1011, 4401].randomElement(using: &random) ?? 1006
                harness.send(.closed(socket: victim, code: code, by: .peer, reason: ""))
            }
            while let frame = server.deliver(upTo: last, at: harness.seconds) {
                harness.message(frame.seq, on: frame.socket)
            }
        }
        return (last, harness, server.mostSockets)
    }

    @Test("overlap: no loss, no duplicates, in order, two sockets at most", arguments: 0..<60)
    func overlap(seed: UInt64) {
        let (sent, harness, most) = Self.run(
            seed: seed,
            following: .overlap,
            asksSince: false,
            breaks: false
        )
        #expect(harness.missing(from: sent) == [])
        #expect(most <= 2)
        #expect(harness.switches.allSatisfy { $0.gap == 0 })
        #expect(harness.dials.count > 5)
    }

    @Test(
        "with a feed that resumes, the same holds with any fault",
        arguments: 0..<60,
        [FeedFollowing.overlap, .restart, .keep]
    )
    func resumes(seed: UInt64, following: FeedFollowing) {
        let (sent, harness, most) = Self.run(
            seed: seed,
            following: following,
            asksSince: true,
            breaks: true
        )
        #expect(harness.missing(from: sent) == [])
        #expect(most <= 2)
    }

    @Test(
        "without resuming, breaks lose messages but never repeat or reorder them",
        arguments: 500..<620
    )
    func lossy(seed: UInt64) {
        let (sent, harness, most) = Self.run(
            seed: seed,
            following: .overlap,
            asksSince: false,
            breaks: true
        )
        let applied = harness.applied.compactMap(Int64.init)
        let disorder = zip(applied, applied.dropFirst()).filter { $0 >= $1 }.map { "\($0), \($1)" }
        #expect(disorder == [])
        #expect(applied.allSatisfy { $0 <= sent })
        #expect(most <= 2)
    }

    @Test("an old socket is closed 2 s after the switch at the latest", arguments: 0..<20)
    func closedInTime(seed: UInt64) {
        let (_, harness, _) = Self.run(
            seed: seed,
            following: .overlap,
            asksSince: false,
            breaks: false
        )
        var rotations = 0
        for event in harness.events {
            guard let after = (event as? FeedSwitched)?.after else { continue }
            rotations += 1
            // One second for the dial, one without a frame, two to drain, some to close.
            #expect(after < .seconds(4.5))
        }
        #expect(rotations > 3)
    }
}

extension FeedHarness {
    /// Where what was applied differs first from 1, 2, 3 … `last`; empty when it does not.
    fileprivate func missing(from last: Int64) -> [String] {
        let sent = (1...last).map(String.init)
        let applied = applied
        guard applied != sent else { return [] }
        let index = zip(applied, sent).prefix { $0 == $1 }.count
        return ["of \(last)"] + applied[index...].prefix(5)
    }
}
