import Model
import Testing

@testable import Basics
@testable import Observer

/// An app that does what a line of a scorecard asks for, and one that does not.
struct ScorecardCase: Sendable, CustomTestStringConvertible {
    let experiment: Fault
    let check: Scorecard.Check
    /// Writes down what a sound app does.
    let sound: @Sendable (inout TrafficScript) -> Void
    /// Writes down what another app does, and returns the exchanges that prove it.
    let faulty: @Sendable (inout TrafficScript) -> [Int]

    init(
        _ experiment: Fault,
        _ check: Scorecard.Check,
        sound: @escaping @Sendable (inout TrafficScript) -> Void,
        faulty: @escaping @Sendable (inout TrafficScript) -> [Int]
    ) {
        self.experiment = experiment
        self.check = check
        self.sound = sound
        self.faulty = faulty
    }

    var testDescription: String { "\(experiment) \(check)" }
}

@Suite("Every scorecard of an experiment")
struct ScorecardTests {
    static let cases = ScorecardCase.accesses + ScorecardCase.refreshes + ScorecardCase.sockets

    private static func scorecard(
        _ item: ScorecardCase,
        _ script: TrafficScript
    ) throws -> (card: Scorecard, run: ObservationRun) {
        let run = ObservationRun(script, experiment: item.experiment)
        return (try #require(run.machine.scorecards.last), run)
    }

    @Test("has a faulty app")
    func everyExperiment() {
        let names = Set(Self.cases.map(\.experiment.name))
        #expect(names == Set(Fault.ofApp.map(\.name)))
    }

    @Test("is passed by a sound app, which is blamed for nothing", arguments: cases)
    func sound(item: ScorecardCase) throws {
        var script = TrafficScript()
        item.sound(&script)
        let (card, run) = try Self.scorecard(item, script)
        #expect(card.verdict == .passed, "\(card.lines)\n\(run.summary)")
        #expect(card.isOver)
        let line = card.lines.first { $0.check == item.check }
        #expect(line?.verdict == .passed, "\(card.lines)")
        #expect(run.findings.filter { $0.experiment == nil }.isEmpty, "\(run.summary)")
    }

    @Test("is failed by a faulty one, with the exchanges that prove it", arguments: cases)
    func faulty(item: ScorecardCase) throws {
        var script = TrafficScript()
        let expected = item.faulty(&script)
        let (card, run) = try Self.scorecard(item, script)
        #expect(card.verdict == .failed, "\(card.lines)\n\(run.summary)")
        let line = card.lines.first { $0.check == item.check }
        #expect(line?.verdict == .failed, "\(card.lines)")
        #expect(line?.exchanges == expected, "\(card.lines)")
        let bugs = run.findings.filter(\.isCertainBug)
        #expect(bugs.isEmpty, "\(run.summary)")
    }

    @Test("shows nothing where the app sends nothing", arguments: Fault.ofApp)
    func silence(experiment: Fault) throws {
        var script = TrafficScript()
        script.logIn()
        let run = ObservationRun(script, experiment: experiment)
        let card = try #require(run.machine.scorecards.last)
        #expect(card.verdict == .notReached)
        #expect(card.isOver)
    }

    @Test("is the same when its recording is read again", arguments: cases)
    func replay(item: ScorecardCase) throws {
        var script = TrafficScript()
        _ = item.faulty(&script)
        let (card, run) = try Self.scorecard(item, script)
        let again = ObservationRun(run.inputs, like: run)
        #expect(again.machine.scorecards.last == card)
        #expect(again.events == run.events)
    }

    @Test("is filled in only so often in a second, and the rest with the next tick")
    func pace() throws {
        let experiment = Fault.skewedDate.at(.app).set(to: 300)
        var script = TrafficScript()
        script.logIn()
        func call(_ change: (inout TrafficScript, Int) -> Void = { _, _ in }) -> Int {
            let exchange = script.send("GET", "/items", bearer: TrafficScript.access(1))
            change(&script, exchange)
            script.answer(exchange, 200, ["items": []])
            script.deliver(exchange)
            return exchange
        }
        for _ in 0..<RateLimit.limit { _ = call() }
        let last = call { $0.inject($1, experiment.description) }
        let end = script.now.now
        let run = ObservationRun(script, experiment: experiment)
        let shown = try #require(
            run.events.first { event in
                guard let card = event.kind as? Scorecard else { return false }
                return card.injected.contains(last)
            }
        )
        let delay = shown.moment.now.seconds(since: end)
        #expect(delay > 0 && delay <= 1, "\(delay)")
        var pace = RateLimit()
        let admitted = (0..<1_000).filter { _ in pace.allows(at: end) }
        #expect(admitted.count == RateLimit.limit)
        #expect(pace.next == end.advanced(bySeconds: 1))
        let isAdmitted = pace.allows(at: end.advanced(bySeconds: 1))
        #expect(isAdmitted)
        #expect(pace.next == nil)
    }

    @Test(
        "an experiment is written as a fault of the sandbox is, too",
        arguments: [
            ("short-life:seconds=30", Fault.shortLife.set(to: 30)),
            ("slow-refresh:seconds=2m", .delay.at(.app).set(to: 120)),
            ("limit:2m", .rateLimit.at(.app).set(to: 120)),
            ("cut:code=4401", .feedClose.at(.app).set(to: 4401)),
            ("skew:seconds=-90", .skewedDate.at(.app).set(to: -90)),
            ("blip:count=3:status=500", .serverError.at(.app).set(to: 500, 3)),
            ("blip:503:count=3", .serverError.at(.app).set(to: 503, 3)),
            ("blip:count=3", .serverError.at(.app).set(to: 503, 3)),
        ]
    )
    func notation(text: String, experiment: Fault) throws {
        #expect(try FaultSetting(parsing: text, at: .app).fault == experiment)
    }

    @Test("an experiment is read from a name with or without its parameter")
    func parsing() throws {
        for experiment in Fault.ofApp {
            #expect(try FaultSetting(parsing: experiment.description, at: .app).fault == experiment)
            #expect(try FaultSetting(parsing: experiment.name, at: .app).fault == experiment)
        }
        #expect(
            try FaultSetting(parsing: "blip:500x7", at: .app).fault
                == .serverError.at(.app).set(to: 500, 7)
        )
        #expect(
            try FaultSetting(parsing: "limit:9s", at: .app).fault == .rateLimit.at(.app).set(to: 9)
        )
        #expect(
            try FaultSetting(parsing: "skew:-90", at: .app).fault
                == .skewedDate.at(.app).set(to: -90)
        )
        #expect(
            try FaultSetting(parsing: "cut:4401", at: .app).fault
                == .feedClose.at(.app).set(to: 4401)
        )
        #expect(try FaultSetting(parsing: "lose-answer:hang@30s", at: .app).delay == 30)
        #expect(try FaultSetting(parsing: "expire:once", at: .app).fault == .unauthorized.at(.app))
        let spoiled = [
            "", "expires", "expire:3", "blip:200", "blip:503x0", "cut:1005", "limit:0", "limit:",
            "limit:2:3", "limit:status=3", "blip:status=503:status=504", "limit:next=2",
            "limit:refresh", "limit:p=0.5", "blip:503x2x2", "blip:503@later",
        ]
        for text in spoiled {
            #expect(throws: FaultSettingError.self) {
                try FaultSetting(parsing: text, at: .app).fault
            }
        }
    }
}
