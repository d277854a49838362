import Basics
package import Model

/// The machine's result for a recording, or for a capture of another tool.
package struct ObservedRun: Sendable {
    /// The events, as of a run in which they happened.
    let recording: Recording
    /// The base URL of the backend for which a proxy stood in.
    package let baseURL: String
    package let findings: [ObservedFinding]
    /// The newest exchanges, and the tokens in them.
    package let traffic: ObservedTraffic

    /// Runs the machine over the inputs of a run, at whose times it took them in.
    init(
        _ configuration: ObservationMachine.Configuration,
        startedAt: Moment,
        entries: [ObservationRecording.Entry],
        end: Recording.End?
    ) {
        var follower = Follower(configuration)
        for entry in entries { follower.take(entry.input, at: entry.at) }
        if let last = entries.last { follower.finish(at: last.at) }
        self.init(follower, startedAt: startedAt, end: end)
    }

    /// Reads what was captured, and runs the machine over it.
    ///
    /// Nothing is concluded from what did not happen after the last exchange.
    package init(
        _ configuration: ObservationMachine.Configuration,
        reading capture: HARCapture,
        by reader: TrafficReader
    ) {
        var reader = reader
        var follower = Follower(configuration)
        follower.begin(capture)
        for (step, moment) in capture.steps {
            follower.pass(until: moment)
            for input in reader.read(step, at: moment) { follower.take(input, at: moment) }
        }
        follower.finish(at: capture.endedAt)
        self.init(
            follower,
            startedAt: capture.startedAt,
            end: Recording.End(endedAt: capture.endedAt, end: .ended)
        )
    }

    private init(_ follower: Follower, startedAt: Moment, end: Recording.End?) {
        recording = Recording(
            header: Recording.Header(
                startedAt: startedAt,
                sessions: [Recording.Session(id: ObservationMachine.withoutToken, faults: [])]
            ),
            events: follower.events,
            end: end
        )
        baseURL = follower.machine.configuration.baseURL
        findings = follower.machine.findings
        traffic = follower.machine.traffic
    }
}

/// A machine, and the events that it has emitted.
private struct Follower {
    private(set) var machine: ObservationMachine
    private(set) var events: [SessionEvent] = []

    init(_ configuration: ObservationMachine.Configuration) {
        machine = ObservationMachine(configuration)
    }

    mutating func begin(_ capture: HARCapture) {
        events += machine.begin(capture)
    }

    mutating func take(_ input: ObservationInput, at moment: Moment) {
        events += machine.handle(input, at: moment)
    }

    mutating func finish(at moment: Moment) {
        events += machine.finish(at: moment)
    }

    /// Lets time pass, as the timer of a run does.
    mutating func pass(until moment: Moment) {
        var last: Instant?
        while let deadline = machine.nextDeadline, deadline <= moment.now, deadline != last {
            last = deadline
            let due = Moment(now: deadline, wall: moment.wallTime(at: deadline))
            take(ObservationInput(exchange: 0, kind: .tick), at: due)
        }
    }
}
