import DequeModule
import Observation
import Synchronization
import Timekeeping

/// What a proxy has seen and the store has not read yet, bounded: traffic never waits for it.
///
/// If it grows too large, it drops bodies first, then whole exchanges.
final class TrafficQueue: Sendable {
    struct Entry: Sendable {
        var input: TrafficInput
        var moment: Moment
    }

    /// The number of entries above which new exchanges are dropped.
    static let limit = 40_000
    /// The bytes of bodies above which bodies are dropped.
    static let byteLimit = 32 * 1024 * 1024

    private struct State {
        var entries: Deque<Entry> = []
        var bytes = 0
        /// The exchanges that were dropped and are not over yet.
        var dropped: Set<Int> = []
        var droppedCount = 0
    }

    private let state = Mutex(State())
    /// Has an element if there is something to read.
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ input: TrafficInput, at moment: Moment) {
        let isAdded = state.withLock { state in
            guard !Self.drops(input, &state) else { return false }
            let size = input.bodySize
            if size > 0, state.bytes + size > Self.byteLimit { return false }
            state.bytes += size
            state.entries.append(Entry(input: input, moment: moment))
            return true
        }
        if isAdded { arrival.yield() }
    }

    private static func drops(_ input: TrafficInput, _ state: inout State) -> Bool {
        if case .requestHead = input.kind, state.entries.count >= limit {
            state.dropped.insert(input.exchange)
            state.droppedCount += 1
            return true
        }
        guard state.dropped.contains(input.exchange) else { return false }
        switch input.kind {
        case .delivered, .failed, .socketClosed: state.dropped.remove(input.exchange)
        default: break
        }
        return true
    }

    /// Takes all that there is, and the number of exchanges that were dropped since the last time.
    func take() -> (entries: Deque<Entry>, dropped: Int) {
        state.withLock { state in
            defer {
                state.entries = []
                state.bytes = 0
                state.droppedCount = 0
            }
            return (state.entries, state.droppedCount)
        }
    }
}

extension TrafficInput {
    fileprivate var bodySize: Int {
        switch kind {
        case .requestBody(let bytes), .responseBody(let bytes): bytes.count
        case .socketMessage(let message): message.payload.count
        default: 0
        }
    }
}
