import Basics
import Model
import Profiles

@testable import Observer

/// The result of a reader and a machine for a script.
struct ObservationRun {
    private(set) var machine: ObservationMachine
    private(set) var inputs: [(input: ObservationInput, at: Moment)] = []
    private(set) var events: [SessionEvent] = []

    static let fingerprinter = Fingerprinter(salt: Array(repeating: 7, count: 16))

    /// - Parameters:
    ///   - script: The traffic.
    ///   - dialect: The backend's dialect, or `nil` to go by common names.
    ///   - recognition: The meanings of names and shapes where no dialect gives one.
    ///   - rules: The rules that watch.
    ///   - after: Seconds that pass after the last step.
    ///   - experiment: One that begins with the script, and is stopped after it.
    init(
        _ script: TrafficScript,
        dialect: Dialect? = nil,
        recognition: Recognition = .builtIn,
        rules: [FindingRule] = FindingRule.all,
        after: Double = 120,
        experiment: Fault? = nil
    ) {
        machine = ObservationMachine(
            ObservationMachine.Configuration(
                profile: "app",
                dialect: dialect?.name,
                baseURL: "https://api.example.com",
                origins: ["https://api.example.com"],
                rules: rules,
                recognition: recognition
            )
        )
        var reader = TrafficReader(
            fingerprinter: Self.fingerprinter,
            recognition: recognition,
            dialect: dialect
        )
        if let experiment {
            take(
                ObservationInput(exchange: 0, kind: .experimentBegan(experiment, session: nil)),
                at: TrafficScript.moment(0)
            )
        }
        for (input, moment) in script.steps {
            pass(until: moment.now)
            for fact in reader.read(input, at: moment) { take(fact, at: moment) }
        }
        pass(until: script.now.now.advanced(bySeconds: after))
        guard experiment != nil else { return }
        take(
            ObservationInput(exchange: 0, kind: .experimentStopped(nil)),
            at: TrafficScript.moment(script.seconds + after)
        )
    }

    /// Replays what was read.
    init(_ inputs: [(input: ObservationInput, at: Moment)], like run: ObservationRun) {
        machine = ObservationMachine(run.machine.configuration)
        for (input, moment) in inputs { take(input, at: moment) }
    }

    private mutating func take(_ input: ObservationInput, at moment: Moment) {
        inputs.append((input, moment))
        events += machine.handle(input, at: moment)
    }

    /// Lets time pass, with a tick at each deadline.
    private mutating func pass(until end: Instant) {
        var last: Instant?
        while let deadline = machine.nextDeadline, deadline <= end, deadline != last {
            last = deadline
            let seconds = deadline.seconds(since: .origin) - 1_000
            take(
                ObservationInput(exchange: 0, kind: .tick),
                at: TrafficScript.moment(seconds)
            )
        }
    }

    var findings: [ObservedFinding] { machine.findings }

    /// Each finding in one line, for messages of failed tests.
    var summary: String {
        findings.map { finding in
            let name = [finding.rule, finding.variant].compactMap(\.self).joined(separator: "/")
            return "\(name) \(finding.severity) \(finding.exchanges): \(finding.message)"
        }
        .joined(separator: "\n")
    }

    func kinds(of session: String) -> [String] {
        events.filter { $0.session == SessionID(session) }.map(\.kind.name)
    }
}
