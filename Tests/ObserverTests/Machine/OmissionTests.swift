import Basics
import Model
import Testing

@testable import Observer

@Suite("What is left out of an app's traffic")
struct OmissionTests {
    private static func machine() -> ObservationMachine {
        ObservationMachine(
            ObservationMachine.Configuration(profile: "app", baseURL: "https://api.example.com")
        )
    }

    private static func take(
        _ kind: ObservationInput.Kind,
        at seconds: Double,
        _ machine: inout ObservationMachine
    ) -> [any EventKind] {
        let input = ObservationInput(exchange: 0, kind: kind)
        return machine.handle(input, at: TrafficScript.moment(seconds)).map(\.kind)
    }

    private static func omissions(_ kinds: [any EventKind]) -> [Omission] {
        kinds.compactMap { kind in
            kind as? Omission
        }
    }

    private static func refusals(_ kinds: [any EventKind]) -> [MisdirectedRequest] {
        kinds.compactMap { kind in
            kind as? MisdirectedRequest
        }
    }

    @Test("is told at once with its number, then with what follows, and at the end at the latest")
    func told() {
        var machine = Self.machine()
        let first = Self.take(.dropped(count: 5, exchanges: 3), at: 0, &machine)
        #expect(
            Self.omissions(first) == [Omission(.requests, count: 3), Omission(.parts, count: 2)]
        )
        for _ in 1...1_000 {
            let next = Self.take(.dropped(count: 1, exchanges: 1), at: 0.5, &machine)
            #expect(Self.omissions(next) == [])
        }
        #expect(machine.nextDeadline == TrafficScript.moment(1).now)
        let later = Self.take(.tick, at: 1, &machine)
        #expect(Self.omissions(later) == [Omission(.requests, count: 1_003)])
        #expect(machine.nextDeadline == nil)
        _ = Self.take(.dropped(count: 1, exchanges: 1), at: 1.5, &machine)
        var last: [any EventKind] = []
        for event in machine.finish(at: TrafficScript.moment(2)) {
            last.append(event.kind)
        }
        #expect(Self.omissions(last) == [Omission(.requests, count: 1_004)])
        #expect(machine.omitted.map(\.subject) == [.requests, .parts])
    }

    @Test("leaves no finding certain that comes after it", arguments: [false, true])
    func certainty(isComplete: Bool) throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let first = script.askRefresh(1)
        script.connection = 2
        let second = script.askRefresh(1)
        script.finish(first, 200, TrafficScript.pair(2))
        script.finish(second, 401, ["error": "spent"])
        let inputs = ObservationRun(script, rules: []).inputs
        var machine = Self.machine()
        if !isComplete { _ = Self.take(.dropped(count: 1, exchanges: 1), at: 0, &machine) }
        for (input, moment) in inputs { _ = machine.handle(input, at: moment) }
        let race = try #require(machine.findings.first { $0.rule == "race" })
        #expect(race.confidence == (isComplete ? .certain : .likely))
    }

    @Test("a request for another server is told with what would let it in")
    func misdirected() {
        var machine = Self.machine()
        let events = Self.take(
            .misdirected(host: "app.test", isURL: false, isAllowable: true),
            at: 0,
            &machine
        )
        #expect(Self.refusals(events).map(\.option) == ["--allow-host=app.test"])
        let other = Self.take(
            .misdirected(host: "other.test", isURL: true, isAllowable: false),
            at: 2,
            &machine
        )
        #expect(Self.refusals(other).map(\.option) == [nil])
        #expect(Self.refusals(other).map(\.count) == [2])
    }

    @Test("what could not be read is told at once, then in numbers, and leaves findings certain")
    func unreadable() {
        var machine = Self.machine()
        let first = Self.take(.unreadable(.http2), at: 0, &machine)
        #expect(Self.omissions(first) == [Omission(.http2, count: 1)])
        for _ in 1...50 { _ = Self.take(.unreadable(.http2), at: 0.5, &machine) }
        #expect(Self.omissions(Self.take(.tick, at: 1, &machine)) == [Omission(.http2, count: 51)])
        #expect(!machine.omissions.isTrafficIncomplete)
    }

    @Test("a scan of many hosts does not fill the lines, and all of it is counted")
    func scan() {
        var machine = Self.machine()
        var told: [MisdirectedRequest] = []
        for step in 0..<60_000 {
            let seconds = Double(step) / 100
            if let due = machine.nextDeadline, due <= TrafficScript.moment(seconds).now {
                told += Self.refusals(Self.take(.tick, at: seconds, &machine))
            }
            let kind = ObservationInput.Kind.misdirected(
                host: "h\(step).test",
                isURL: false,
                isAllowable: true
            )
            told += Self.refusals(Self.take(kind, at: seconds, &machine))
        }
        for event in machine.finish(at: TrafficScript.moment(600)) {
            told += Self.refusals([event.kind])
        }
        #expect((2...160).contains(told.count), "\(told.count)")
        #expect(told.map(\.count).max() == 60_000)
    }

    @Test("of more findings than are kept, the mildest ones go, and their number is told")
    func findings() {
        var book = FindingBook()
        let rule = FindingRule.loginStorm
        let moment = TrafficScript.moment(0)
        func draft(_ number: Int, _ severity: ObservedFinding.Severity) -> FindingDraft {
            FindingDraft(occurrence: number, severity: severity)
        }
        for number in 0..<FindingBook.limit {
            let result = book.take(draft(number, .note), by: rule, at: moment)
            #expect(result.finding != nil && !result.isOneOmitted)
        }
        let mild = book.take(draft(5_000, .note), by: rule, at: moment)
        #expect(mild.finding == nil && mild.isOneOmitted)
        let worse = book.take(draft(5_001, .bug), by: rule, at: moment)
        #expect(worse.finding?.severity == .bug && worse.isOneOmitted)
        #expect(book.all.count == FindingBook.limit)
        #expect(book.all.contains { $0.severity == .bug })
        let again = book.take(draft(5_001, .bug), by: rule, at: moment)
        #expect(again.finding?.number == worse.finding?.number && !again.isOneOmitted)
    }
}

extension FindingDraft {
    /// One at a path of its own.
    fileprivate init(occurrence: Int, severity: ObservedFinding.Severity) {
        var script = TrafficScript()
        script.call(1)
        let run = ObservationRun(script, rules: [])
        guard let exchange = run.machine.traffic.newestFirst.first else {
            preconditionFailure("the script has one exchange")
        }
        self.init(exchange, severity: severity, evidence: [], message: "found")
        self.occurrence = occurrence
        path = "/\(occurrence)"
    }
}
