import Model
import Testing

@testable import Basics
@testable import Observer

/// An app that does what a line of a scorecard asks for, and one that does not.
struct ScorecardCase: Sendable, CustomTestStringConvertible {
    let experiment: AppExperiment
    let check: Scorecard.Check
    /// Writes down what a sound app does.
    let sound: @Sendable (inout TrafficScript) -> Void
    /// Writes down what another app does, and returns the exchanges that prove it.
    let faulty: @Sendable (inout TrafficScript) -> [Int]

    init(
        _ experiment: AppExperiment,
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
        #expect(names == Set(AppExperiment.all.map(\.name)))
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

    @Test("shows nothing where the app sends nothing", arguments: AppExperiment.all)
    func silence(experiment: AppExperiment) throws {
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
        let experiment = AppExperiment.skew(seconds: 300)
        var script = TrafficScript()
        script.logIn()
        func call(_ change: (inout TrafficScript, Int) -> Void = { _, _ in }) -> Int {
            let exchange = script.send("GET", "/items", bearer: TrafficScript.access(1))
            change(&script, exchange)
            script.answer(exchange, 200, ["items": []])
            script.deliver(exchange)
            return exchange
        }
        for _ in 0..<JudgingPace.limit { _ = call() }
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
        var pace = JudgingPace()
        let admitted = (0..<1_000).filter { _ in pace.admits(at: end) }
        #expect(admitted.count == JudgingPace.limit)
        #expect(pace.next == end.advanced(bySeconds: 1))
        let isAdmitted = pace.admits(at: end.advanced(bySeconds: 1))
        #expect(isAdmitted)
        #expect(pace.next == nil)
    }

    @Test(
        "an experiment is written as a fault of the sandbox is, too",
        arguments: [
            ("short-life:seconds=30", AppExperiment.shortLife(seconds: 30)),
            ("slow-refresh:seconds=2m", .slowRefresh(seconds: 120)),
            ("limit:2m", .limit(seconds: 120)),
            ("cut:code=4401", .cut(code: 4401)), ("skew:seconds=-90", .skew(seconds: -90)),
            ("blip:count=3:status=500", .blip(status: 500, count: 3)),
            ("blip:count=3", .blip(status: 503, count: 3)),
        ]
    )
    func notation(text: String, experiment: AppExperiment) throws {
        #expect(try AppExperiment(parsing: text) == experiment)
    }

    @Test("an experiment is read from a name with or without its parameter")
    func parsing() throws {
        for experiment in AppExperiment.all {
            #expect(try AppExperiment(parsing: experiment.description) == experiment)
            #expect(try AppExperiment(parsing: experiment.name) == experiment)
        }
        #expect(try AppExperiment(parsing: "blip:500x7") == .blip(status: 500, count: 7))
        #expect(try AppExperiment(parsing: "limit:9s") == .limit(seconds: 9))
        #expect(try AppExperiment(parsing: "skew:-90") == .skew(seconds: -90))
        #expect(try AppExperiment(parsing: "cut:4401") == .cut(code: 4401))
        let spoiled = [
            "", "expires", "expire:3", "blip:200", "blip:503x0", "cut:1005", "limit:0", "limit:",
            "limit:2:3", "limit:status=3", "blip:status=503:status=504", "blip:503:count=3",
        ]
        for text in spoiled {
            #expect(throws: AppExperimentError.self) { try AppExperiment(parsing: text) }
        }
    }
}
