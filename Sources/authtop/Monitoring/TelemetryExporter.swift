import Basics
import Client
import Model
import Platform
import Profiles
import UI

/// Sends metrics, spans and log records to a collector; what cannot be sent in time is dropped.
///
/// `ExportQueue` decides what is sent when; here that is done.
actor TelemetryExporter {
    /// The time for which an answer of the collector is awaited.
    private static let answerTime = Duration.seconds(10)
    /// The time that is left at the end of the run for what is still to be sent.
    private static let endTime = Duration.seconds(2)

    private let settings: TelemetrySettings
    private let network: NetworkConfiguration
    private let time: any Timekeeper
    private let timer: DeadlineTimer
    private let message: OTLPMessage
    private let startedAt: Moment
    private var spans: SpanBuilder
    private var queue: ExportQueue
    private let batches: AsyncStream<ExportQueue.Batch>
    private let due: AsyncStream<ExportQueue.Batch>.Continuation
    /// Whether a batch is due, or being sent.
    private var isBusy = false
    private var sending: Task<ExportQueue.Outcome, Never>?
    /// When the run ends at the latest, once its end has begun.
    private var endsBy: Instant?
    /// Why a batch was not accepted, the first time.
    private var problem: String?
    private var isWarned = false

    /// - Parameters:
    ///   - settings: Where telemetry is sent, and what of it.
    ///   - version: That of this program.
    ///   - environment: The clocks, the network and a seed for ids.
    /// - Throws: `CommandFailure` if the network cannot be used.
    init(
        _ settings: TelemetrySettings,
        version: String,
        in environment: LiveEnvironment
    ) throws {
        self.settings = settings
        network = try environment.networkConfiguration(caFile: nil)
        time = environment.time
        timer = DeadlineTimer(environment.time)
        message = OTLPMessage(resource: settings.resource, version: version)
        startedAt = environment.time.moment
        spans = SpanBuilder(
            sampler: settings.sampler,
            random: SeededGenerator(seed: environment.randomSeed())
        )
        queue = ExportQueue(interval: settings.interval, now: environment.time.now)
        (batches, due) = AsyncStream.makeStream()
    }

    /// The number of spans and log records that were not delivered.
    var dropped: Int { queue.dropped }

    /// Takes in events of any session.
    func add(_ events: [SessionEvent]) {
        let now = time.now
        for event in events { queue.add(event, spans.receive(event), at: now) }
        timer.deadlineMoved(to: deadline)
    }

    /// Sends until `finish()` was called and everything is sent, or its time is over.
    ///
    /// - Parameters:
    ///   - warn: Called with the first failure.
    ///   - reading: Reads the metrics.
    func run(
        warn: @escaping @Sendable (String) -> Void,
        reading: @escaping @Sendable () async -> MetricsReading
    ) async {
        await withNetwork(network) { network in
            let transport = network.tokenTransport(to: settings.collector)
            await withDiscardingTaskGroup { group in
                group.addTask { await self.keepTime() }
                for await batch in batches {
                    let task = Task { await self.send(batch, over: transport, reading) }
                    sending = task
                    let outcome = await task.value
                    (sending, isBusy) = (nil, false)
                    queue.ended(outcome, at: time.now)
                    if let problem, !isWarned {
                        isWarned = true
                        warn(problem)
                    }
                    advance()
                }
                group.cancelAll()
            }
        }
    }

    /// Takes in no more events, and lets what is left be sent within `endTime`.
    func finish() {
        queue.finish(at: time.now)
        endsBy = time.now + Self.endTime
        advance()
    }

    /// What was lost, in a sentence, or `nil` if nothing was.
    var loss: String? {
        guard queue.dropped > 0 else { return nil }
        let count = CountFormatter.count(
            queue.dropped,
            "span or log record was",
            plural: "spans and log records were"
        )
        return "\(count) not delivered to \(settings.collector)"
    }

    // MARK: - Time

    private func keepTime() async {
        await timer.run(nextDeadline: { deadline }, tick: { advance() })
    }

    private var deadline: Instant? {
        let next = isBusy ? nil : queue.nextDeadline
        return [next, endsBy].compactMap(\.self).min()
    }

    private func advance() {
        if let endsBy, endsBy <= time.now {
            queue.giveUp()
            sending?.cancel()
        }
        if queue.isFinished {
            endsBy = nil
            due.finish()
        } else if !isBusy, let batch = queue.next(at: time.now) {
            isBusy = true
            due.yield(batch)
        }
        timer.deadlineChanged(to: deadline)
    }

    // MARK: - Requests

    private func send(
        _ batch: ExportQueue.Batch,
        over transport: HTTPTokenTransport,
        _ reading: @Sendable () async -> MetricsReading
    ) async -> ExportQueue.Outcome {
        let json: JSONValue =
            switch batch {
            case .metrics: message.metrics(await reading(), since: startedAt, at: time.moment)
            case .spans(let spans): message.spans(spans)
            case .logs(let events): message.logs(events, causes: CauseText())
            }
        let headers = settings.headers.map { WireHeader($0.name, $0.value.reveal()) }
        let report = await transport.send(
            WireRequest(
                method: "POST",
                target: batch.signal.path,
                headers: [WireHeader("content-type", "application/json")] + headers,
                body: Array(json.serialized.utf8)
            ),
            connection: .shared,
            deadline: min(time.now + Self.answerTime, endsBy ?? time.now + Self.answerTime)
        )
        let outcome = report.outcome.exported(at: time.moment)
        if let failure = report.outcome.problem(outcome) {
            let told = "the collector at \(settings.collector) \(failure)"
            problem = problem ?? told + "; further failures are only counted"
        }
        return outcome
    }
}
