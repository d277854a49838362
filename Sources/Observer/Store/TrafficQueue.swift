package import Basics
import DequeModule
import Profiles
import Synchronization

/// The inputs that wait for the reader of the traffic, within limits.
///
/// Traffic never waits for its reader. If the reader is too slow, bodies are dropped first, and
/// then whole exchanges, from their first input to their last.
package final class TrafficQueue: Sendable {
    package struct Limits: Sendable, Hashable {
        var exchanges = 10_000
        /// For everything that waits.
        var bytes = 32 << 20
        /// The number of inputs that are taken at once: about as many as are read before others get
        /// the processor.
        var batch = 32

        init() {}

        /// Bodies leave room for heads.
        fileprivate var bodyBytes: Int { bytes / 4 * 3 }
    }

    private struct State {
        var inputs: Deque<TrafficEntry> = []
        /// The largest number of them since the last time that there were none.
        var most = 0
        var bytes = 0
        /// The number of inputs that are the beginning of an exchange.
        var exchanges = 0
        var loss = TrafficLoss()
        /// Exchanges of which nothing is kept.
        var dropped: Set<Int> = []
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
    }

    /// The number of inputs for which there is always room.
    private static let keptRoom = 1_024

    private let limits: Limits
    private let state = Mutex(State())

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of inputs that wait.
    var count: Int { state.withLock { $0.inputs.count } }

    /// Whether as many inputs wait as are taken at once.
    var hasWholeBatch: Bool { count >= limits.batch }

    /// Adds what was seen, in its order, unless the traffic has ended; returns at once.
    package func observe(_ input: TrafficInput, at moment: Moment) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished, admits(input, &state) else { return nil }
            let entry = TrafficEntry(input: input, moment: moment)
            state.bytes += entry.size
            if case .requestHead = input.kind { state.exchanges += 1 }
            state.inputs.append(entry)
            state.most = max(state.most, state.inputs.count)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Ends the traffic; what waits is still read.
    package func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Returns what waits longest, once there is something, or `nil` after the end of the traffic or
    /// if the task is cancelled.
    ///
    /// There is one reader.
    func next() async -> TrafficBatch? {
        while await hasMore() {
            if let batch = takeBatch() { return batch }
        }
        return nil
    }

    /// Returns whether something waits, once something does, or `false` after the end of the
    /// traffic or if the task is cancelled.
    func hasMore() async -> Bool {
        while !Task.isCancelled {
            let (isWaiting, isFinished) = state.withLock { state in
                (!state.inputs.isEmpty || !state.loss.isEmpty, state.isFinished)
            }
            guard !isWaiting else { return true }
            guard !isFinished else { return false }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isDue = state.withLock { state in
                        guard state.inputs.isEmpty, !state.isFinished, !Task.isCancelled else {
                            return true
                        }
                        state.reader = continuation
                        return false
                    }
                    if isDue { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.reader.take() }?.resume()
            }
        }
        return false
    }

    /// Returns what waits longest, or `nil` if nothing does.
    ///
    /// A batch is limited, since it stays in memory until its last input is read.
    func takeBatch() -> TrafficBatch? {
        state.withLock { state in
            guard !state.inputs.isEmpty || !state.loss.isEmpty else { return nil }
            let inputs = Array(state.inputs.prefix(limits.batch))
            state.inputs.removeFirst(inputs.count)
            if state.inputs.isEmpty {
                // The room for a burst is of no use after it.
                if state.most > Self.keptRoom { state.inputs = [] }
                state.most = 0
            }
            for entry in inputs {
                state.bytes -= entry.size
                if case .requestHead = entry.input.kind { state.exchanges -= 1 }
            }
            defer { state.loss = TrafficLoss() }
            return TrafficBatch(inputs: inputs, loss: state.loss)
        }
    }

    private func admits(_ input: TrafficInput, _ state: inout State) -> Bool {
        guard !state.dropped.contains(input.exchange) else {
            if input.isLast { state.dropped.remove(input.exchange) }
            return false
        }
        if case .requestHead = input.kind {
            guard state.exchanges < limits.exchanges, state.bytes < limits.bytes else {
                state.loss.exchanges += 1
                state.dropped.insert(input.exchange)
                return false
            }
        }
        if input.isRefusal, state.inputs.count >= limits.exchanges {
            state.loss.exchanges += 1
            return false
        }
        if input.isBody, state.bytes + input.size > limits.bodyBytes {
            state.loss.bodies += 1
            return false
        }
        return true
    }
}

struct TrafficEntry: Sendable {
    let input: TrafficInput
    let moment: Moment
    /// About how much memory it takes, in bytes.
    fileprivate let size: Int

    init(input: TrafficInput, moment: Moment) {
        self.input = input
        self.moment = moment
        size = input.size
    }
}

/// The inputs that a reader gets at once.
struct TrafficBatch: Sendable {
    let inputs: [TrafficEntry]
    /// The inputs that were dropped since the previous batch.
    let loss: TrafficLoss
}

struct TrafficLoss: Sendable, Hashable {
    /// The parts of bodies, and the messages of sockets.
    var bodies = 0
    var exchanges = 0

    var isEmpty: Bool { bodies == 0 && exchanges == 0 }
}

extension TrafficInput {
    /// About how much memory it takes, in bytes.
    fileprivate var size: Int {
        let overhead = 128
        switch kind {
        case .requestHead(let head, _, _):
            return overhead + head.target.utf8.count + Self.size(of: head.headers)
        case .responseHead(let head, _): return overhead + Self.size(of: head.headers)
        case .responseTrailers(let fields): return overhead + Self.size(of: fields)
        case .requestBody(let bytes), .responseBody(let bytes): return overhead + bytes.count
        case .socketMessage(let message): return overhead + message.payload.count
        case .requestEnd, .responseEnd, .givenUp, .delivered, .failed, .socketOpened,
            .socketClosed, .injected, .unreadable:
            return overhead
        case .misdirected(let host, _, _): return overhead + host.utf8.count
        }
    }

    fileprivate var isBody: Bool {
        switch kind {
        case .requestBody, .responseBody, .socketMessage: true
        case .requestHead, .requestEnd, .responseHead, .responseTrailers, .responseEnd, .givenUp,
            .delivered, .failed, .socketOpened, .socketClosed, .injected, .misdirected, .unreadable:
            false
        }
    }

    /// Whether the proxy refused what belongs to no exchange.
    fileprivate var isRefusal: Bool {
        switch kind {
        case .misdirected, .unreadable: true
        case .requestHead, .requestBody, .requestEnd, .responseHead, .responseBody,
            .responseTrailers, .responseEnd, .givenUp, .delivered, .failed, .socketOpened,
            .socketMessage, .socketClosed, .injected:
            false
        }
    }

    /// Whether nothing of its exchange follows.
    fileprivate var isLast: Bool {
        switch kind {
        case .delivered, .failed, .socketClosed: true
        case .requestHead, .requestBody, .requestEnd, .responseHead, .responseBody,
            .responseTrailers, .responseEnd, .givenUp, .socketOpened, .socketMessage, .injected,
            .misdirected, .unreadable:
            false
        }
    }

    private static func size(of headers: [WireHeader]) -> Int {
        headers.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
