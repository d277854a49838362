package import Basics
import DequeModule

/// What is to be sent to a collector, and when.
///
/// Bounded: where the collector does not keep up, the oldest items make room, and are counted.
package struct ExportQueue: Sendable {
    /// What is sent together, of one kind.
    package enum Batch: Sendable {
        /// The metrics of the moment at which they are sent.
        case metrics
        case spans([Span])
        case logs([SessionEvent])

        package var signal: OTLPMessage.Signal {
            switch self {
            case .metrics: .metrics
            case .spans: .spans
            case .logs: .logs
            }
        }

        var count: Int {
            switch self {
            case .metrics: 0
            case .spans(let spans): spans.count
            case .logs(let events): events.count
            }
        }
    }

    /// The result of sending a batch.
    package enum Outcome: Sendable, Equatable {
        /// All but this many items were accepted.
        case accepted(rejected: Int)
        /// The collector accepts it neither now nor later.
        case refused
        /// It may be accepted later, after this number of seconds if the collector says so.
        case postponed(seconds: Double?)
    }

    /// The most spans, and the most events, that wait.
    package static let limit = 2_048
    /// The most that are sent together.
    static let batchLimit = 512
    /// The time after which spans and events are sent, if they are not many.
    static let batchInterval = Duration.seconds(5)
    /// The time after which a batch that cannot be sent is given up.
    static let batchTimeout = Duration.seconds(300)
    /// The longest pause after a failure, also where a collector asks for a longer one.
    static let longestPause = 300.0

    private let interval: Duration
    private var spans: Deque<Span> = []
    private var events: Deque<SessionEvent> = []
    /// The batch that is being sent, or tried again, and since when.
    private var unsent: (batch: Batch, since: Instant)?
    /// When metrics are sent, or `nil` after the last time.
    private var metricsDue: Instant?
    /// When spans and events are sent, or `nil` if there are none.
    private var batchDue: Instant?
    private var pausedUntil: Instant?
    /// The number of times in a row that a batch was not accepted.
    private var failures = 0
    private var isFinishing = false
    /// The number of spans and events that were not delivered.
    package private(set) var dropped = 0

    /// - Parameters:
    ///   - interval: From one export of metrics to the next.
    ///   - now: The present.
    package init(interval: Duration, now: Instant) {
        self.interval = interval
        metricsDue = now + interval
    }

    /// Adds an event, and the spans that are over with it.
    package mutating func add(_ event: SessionEvent, _ new: [Span], at now: Instant) {
        spans += new
        events.append(event)
        dropped += spans.removeOldest(beyond: Self.limit) + events.removeOldest(beyond: Self.limit)
        let isMany = max(spans.count, events.count) >= Self.batchLimit
        batchDue = isMany ? now : batchDue ?? now + Self.batchInterval
    }

    /// Lets everything that is left be sent at once, and each batch be tried once.
    package mutating func finish(at now: Instant) {
        isFinishing = true
        (pausedUntil, metricsDue) = (nil, now)
        if batchDue != nil { batchDue = now }
    }

    /// Whether the run has finished, and nothing is left to be sent.
    package var isFinished: Bool {
        isFinishing && unsent == nil && metricsDue == nil && batchDue == nil
    }

    /// When the next batch is due, or `nil` if nothing is left to be sent.
    package var nextDeadline: Instant? {
        let due = unsent?.since ?? [metricsDue, batchDue].compactMap(\.self).min()
        return due.map { max($0, pausedUntil ?? $0) }
    }

    /// Returns the batch that is due now, or `nil` if none is; its outcome comes before the next one.
    package mutating func next(at now: Instant) -> Batch? {
        guard let due = nextDeadline, due <= now else { return nil }
        if let unsent { return unsent.batch }
        let batch: Batch
        if let batchDue, batchDue <= now {
            batch =
                events.isEmpty
                ? .spans(spans.takeFirst(Self.batchLimit))
                : .logs(events.takeFirst(Self.batchLimit))
            if spans.isEmpty, events.isEmpty { self.batchDue = nil }
        } else {
            batch = .metrics
            metricsDue = isFinishing ? nil : now + interval
        }
        unsent = (batch, now)
        return batch
    }

    /// Takes in the outcome of the batch that `next` returned.
    package mutating func ended(_ outcome: Outcome, at now: Instant) {
        guard let (batch, since) = unsent else { return }
        switch outcome {
        case .accepted(let rejected):
            dropped += min(max(0, rejected), batch.count)
            (failures, pausedUntil) = (0, nil)
        case .refused:
            dropped += batch.count
            (failures, pausedUntil) = (0, nil)
        case .postponed(let seconds):
            let pause = seconds ?? Double(1 << min(failures, 5))
            pausedUntil =
                isFinishing
                ? nil : now.advanced(bySeconds: min(max(0, pause), Self.longestPause))
            failures += 1
            guard isFinishing || now - since >= Self.batchTimeout else { return }
            dropped += batch.count
        }
        unsent = nil
    }

    /// Gives up everything that is left.
    package mutating func giveUp() {
        dropped += (unsent?.batch.count ?? 0) + spans.count + events.count
        (spans, events, unsent, metricsDue, batchDue) = ([], [], nil, nil, nil)
    }
}

extension Deque {
    /// Removes the first elements, so that at most this many stay.
    ///
    /// - Returns: The number of those that were removed.
    fileprivate mutating func removeOldest(beyond limit: Int) -> Int {
        let excess = Swift.max(0, count - limit)
        removeFirst(excess)
        return excess
    }

    /// Removes and returns the first elements, at most this many.
    fileprivate mutating func takeFirst(_ limit: Int) -> [Element] {
        let first = Array(prefix(limit))
        removeFirst(first.count)
        return first
    }
}
