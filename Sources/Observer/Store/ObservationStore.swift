package import Basics
package import Model

/// Follows the sessions of an app by its traffic: reads what a proxy hands over, and sends what the
/// machine makes of it as events.
///
/// The events name a session for each family of tokens; its own id is that of the traffic without
/// a token.
package actor ObservationStore {
    package nonisolated let id = ObservationMachine.withoutToken
    package nonisolated let events = EventHub()

    private nonisolated let queue: TrafficQueue
    nonisolated let injector: ExperimentInjector?
    private nonisolated let time: any Timekeeper
    private(set) var reader: TrafficReader
    var machine: ObservationMachine
    private let timer: DeadlineTimer
    private let keep: Keeper?
    private let pause: Duration
    /// The events that are to be sent, in their order.
    private var unsent: [SessionEvent] = []

    /// Keeps an input with the events that it led to; called for one after the other, in their
    /// order.
    package typealias Keeper = @Sendable (ObservationInput, Moment, [SessionEvent]) -> Void

    /// Creates a store that does not run yet.
    ///
    /// - Parameters:
    ///   - reader: Reads the traffic.
    ///   - machine: Decides what it means.
    ///   - time: The clocks.
    ///   - queue: Where the traffic waits for the store.
    ///   - injector: Changes the traffic for experiments, or `nil` if nothing does.
    ///   - pause: The time that traffic gathers after a batch was read, unless there is much of it.
    ///   - keep: Keeps what the machine took in, and its result.
    package init(
        reader: TrafficReader,
        machine: ObservationMachine,
        time: any Timekeeper,
        queue: TrafficQueue = TrafficQueue(),
        injector: ExperimentInjector? = nil,
        pause: Duration = .zero,
        keep: Keeper? = nil
    ) {
        self.reader = reader
        self.machine = machine
        self.time = time
        timer = DeadlineTimer(time)
        self.queue = queue
        self.injector = injector
        self.pause = pause
        self.keep = keep
    }

    /// Enqueues what was seen just now, in its order; returns at once.
    nonisolated func take(_ input: TrafficInput) {
        queue.observe(input, at: time.moment)
    }

    /// The findings so far.
    package var findings: [ObservedFinding] { machine.findings }

    /// The session of each finding, by its number, where it is one session's.
    package var findingSessions: [Int: SessionID] { machine.findingSessions }

    /// The newest exchanges, and the tokens in them.
    package var traffic: ObservedTraffic { machine.traffic }

    /// The inputs that were left out so far.
    package var omitted: [Omission] { machine.omitted }

    /// What was seen so far.
    package var coverage: ObservedCoverage { machine.coverage }

    /// The last request that was refused because it named another server.
    package var lastMisdirected: MisdirectedRequest? { machine.lastMisdirected }

    /// The scorecards of the experiments so far.
    package var scorecards: [Scorecard] { machine.scorecards }

    /// The tests that were named so far.
    package var marks: [String] { machine.marks }

    /// Reads what was enqueued, until the traffic has ended or the calling task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.runTimer() }
            // A batch that was taken is read at once, so that nothing comes between.
            while await queue.hasMore() {
                // Under load, a process that is found too late is that of later requests.
                if !queue.hasWholeBatch { await reader.processes?.settle() }
                if let batch = queue.takeBatch() { read(batch) }
                let isMore = queue.hasWholeBatch
                // The reader of the events is not woken for each batch.
                if !isMore || unsent.count >= EventHub.batchLimit { send() }
                if !isMore, pause > .zero { try? await time.sleep(until: time.now + pause) }
            }
            group.cancelAll()
        }
        // The last inputs are read as well.
        readWaiting()
        unsent += machine.finish(at: time.moment)
        send()
        events.finish()
    }

    private func read(_ batch: TrafficBatch) {
        for entry in batch.inputs {
            for input in reader.read(entry.input, at: entry.moment) {
                handle(input, at: entry.moment)
            }
        }
        let (parts, exchanges) = (
            batch.loss.bodies + reader.takeUnreadParts(), batch.loss.exchanges
        )
        if parts + exchanges > 0 {
            let kind = ObservationInput.Kind.dropped(count: parts + exchanges, exchanges: exchanges)
            handle(ObservationInput(exchange: 0, kind: kind), at: time.moment)
        }
        timer.deadlineMoved(to: machine.nextDeadline)
    }

    /// Reads what waits, so that what follows comes after it.
    func readWaiting() {
        // Inputs that arrive meanwhile may wait: the loop could go on indefinitely.
        var rest = queue.count
        repeat {
            guard let batch = queue.takeBatch() else { break }
            read(batch)
            rest -= batch.inputs.count
        } while rest > 0
        send()
    }

    /// Takes in what no traffic shows.
    func handleNow(_ kind: ObservationInput.Kind) {
        handle(ObservationInput(exchange: 0, kind: kind), at: time.moment)
        send()
        timer.deadlineMoved(to: machine.nextDeadline)
    }

    private func handle(_ input: ObservationInput, at moment: Moment) {
        let emitted = machine.handle(input, at: moment)
        keep?(input, moment, emitted)
        unsent += emitted
    }

    private func send() {
        events.send(unsent)
        unsent = []
    }

    /// Lets the machine know when time alone changes something.
    private func runTimer() async {
        await timer.run(
            nextDeadline: { machine.nextDeadline },
            tick: {
                handle(ObservationInput(exchange: 0, kind: .tick), at: time.moment)
                send()
            }
        )
    }
}

extension ObservationStore: SessionSource {
    /// The sessions are the app's, each with a state of its own in its events.
    package var state: SessionState { .cold }

    /// Does nothing: the sessions are the app's.
    package func perform(_ command: SessionCommand) {}

    /// Returns at once: the connections are the app's.
    package func leave() {}
}
