import Basics
import Profiles
import Testing

@testable import Client
@testable import Model

/// A feed machine whose shell and server are the test itself.
final class FeedHarness {
    private(set) var machine: FeedMachine
    private(set) var now = Instant.origin
    private(set) var dials: [(socket: Int, generation: Int, since: String?)] = []
    private(set) var closes: [(socket: Int, code: Int)] = []
    private(set) var pings: [Int] = []
    private(set) var said: [(socket: Int, sayings: [FeedSaying], generation: Int)] = []
    private(set) var rejections: [Int] = []
    private(set) var events: [any FeedEvent] = []
    private(set) var hasApplied = false

    init(
        following: FeedFollowing = .overlap,
        asksSince: Bool = false,
        carrier: FeedCarrier = .webSocket,
        script: FeedScript = .silent,
        seed: UInt64 = 1
    ) {
        machine = FeedMachine(
            following: following,
            asksSince: asksSince,
            carrier: carrier,
            script: script,
            random: SeededGenerator(seed: seed)
        )
    }

    /// A viewModel with a token of generation 1 and an open socket.
    static func open(
        following: FeedFollowing = .overlap,
        asksSince: Bool = false,
        script: FeedScript = .silent,
        seed: UInt64 = 1
    ) -> FeedHarness {
        let harness = FeedHarness(
            following: following,
            asksSince: asksSince,
            script: script,
            seed: seed
        )
        harness.token(1)
        harness.send(.opened(socket: 1))
        return harness
    }

    var seconds: Double { now.seconds(since: .origin) }
    var state: FeedState { machine.state }

    func send(_ input: FeedInput) {
        for effect in machine.handle(input, at: now) {
            switch effect {
            case .perform(.dial(let socket, let generation, let since)):
                dials.append((socket, generation, since))
            case .perform(.close(let socket, let code)): closes.append((socket, code))
            // A test ends the socket itself.
            case .perform(.cut): break
            case .perform(.ping(let socket)): pings.append(socket)
            case .perform(.say(let socket, let sayings, let generation)):
                said.append((socket, sayings, generation))
            case .tokenRejected(let generation): rejections.append(generation)
            case .emit(let event):
                events.append(event)
                if event is FeedMessageReceived { hasApplied = true }
            }
        }
    }

    func token(_ generation: Int, lives seconds: Double? = nil) {
        let until = seconds.map { now.advanced(bySeconds: $0) }
        send(.order(.token(generation: generation, usableUntil: until)))
    }

    func message(_ seq: Int64, on socket: Int, _ text: String? = nil) {
        let message = FeedMessage(id: nil, seq: seq, type: nil, excerpt: text ?? "\(seq)")
        send(.message(socket: socket, message, key: "seq \(seq)"))
    }

    /// A message without a number.
    func text(_ text: String, on socket: Int) {
        let message = FeedMessage(id: nil, seq: nil, type: nil, excerpt: text)
        send(.message(socket: socket, message, key: text))
    }

    /// A frame that is no message, with a number that would be a message's.
    func control(_ seq: Int64, on socket: Int) {
        let frame = FeedMessage(
            id: "\(seq)",
            seq: seq,
            type: "hello",
            isControl: true,
            excerpt: "hello"
        )
        send(.message(socket: socket, frame, key: "seq \(seq)"))
    }

    /// A frame that meets an expectation of the script.
    func answer(_ expectation: Int, on socket: Int, _ text: String = "answer") {
        let frame = FeedMessage(
            id: nil,
            seq: nil,
            type: nil,
            isControl: true,
            meets: [expectation],
            excerpt: text
        )
        send(.message(socket: socket, frame, key: text))
    }

    func close(_ socket: Int, code: Int, by: FeedCloser = .peer) {
        send(.closed(socket: socket, code: code, by: by, reason: ""))
    }

    /// Lets time pass, with every tick that the machine asks for.
    func advance(_ seconds: Double) {
        let end = now.advanced(bySeconds: seconds)
        var ticks = 0
        while let next = machine.nextDeadline, next <= end {
            now = max(now, next)
            send(.tick)
            ticks += 1
            guard ticks < 10_000 else {
                Issue.record("the feed does not come to rest: \(state)")
                return
            }
        }
        now = max(now, end)
    }

    // MARK: - Reading

    /// The messages that were applied, in order.
    var applied: [String] {
        events.compactMap {
            guard let message = $0 as? FeedMessageReceived, !message.isDuplicate else { return nil }
            return message.excerpt
        }
    }

    var duplicates: Int {
        events.count { event in
            (event as? FeedMessageReceived)?.isDuplicate == true
        }
    }

    var switches: [(from: Int, to: Int, duplicates: Int, gap: Int)] {
        events.compactMap {
            ($0 as? FeedSwitched).map { ($0.from, $0.to, $0.duplicates, $0.gap) }
        }
    }

    /// The sockets whose close was told, in order.
    var ended: [Int] {
        events.compactMap {
            ($0 as? FeedClosed)?.socket
        }
    }

    var alarms: [Int] {
        events.compactMap {
            ($0 as? FeedAliveAfterLogout)?.socket
        }
    }

    /// Seconds until the feed is dialed again, as the state says it.
    var waitsFor: Double? {
        switch state {
        case .backoff(_, let nextAt, _), .refused(_, let nextAt): nextAt.seconds(since: now)
        case .idle, .dialing, .open, .rotating, .stopped: nil
        }
    }
}

extension FeedInput {
    /// A refusal of which nothing but its status is known.
    static func refused(socket: Int, status: Int, retryAfter: Double?) -> FeedInput {
        .refused(FeedRefused(socket: socket, status: status), retryAfter: retryAfter)
    }
}
