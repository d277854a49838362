import Basics
import Model
import Profiles
import Testing

@testable import Observer

@Suite("What is forgotten of an app's traffic")
struct ForgottenTests {
    /// Logs in as often as it takes that sessions make room for others.
    private static func crowd(_ script: inout TrafficScript) {
        for number in 0...TokenGraph.familyLimit { script.logIn(10_000 + number) }
    }

    @Test("a session with a finding stays when idle ones without one make room")
    func foundSessions() {
        var script = TrafficScript()
        script.logIn(2)
        script.logIn(1)
        script.wait(290)
        let first = script.askRefresh(1)
        script.connection = 2
        let second = script.askRefresh(1)
        script.finish(first, 200, TrafficScript.pair(3))
        script.finish(second, 401, ["error": "spent"])
        Self.crowd(&script)
        let run = ObservationRun(script, rules: [.race])
        #expect(run.findings.contains { $0.rule == "race" }, "\(run.summary)")
        let families = run.machine.traffic.graph.families
        #expect(families[1] == nil)
        #expect(families[2] != nil)
    }

    @Test("sessions with findings leave room for those that are used")
    func roomForOthers() {
        var graph = TokenGraph()
        for number in 1...TokenGraph.familyLimit {
            let family = graph.start(Self.arrival(number))
            graph.change(family) { $0.hasFinding = true }
        }
        for number in 1...(TokenGraph.familyLimit / 4) {
            _ = graph.start(Self.arrival(TokenGraph.familyLimit + number))
        }
        let families = graph.families.values
        #expect(families.count { !$0.hasFinding } == TokenGraph.familyLimit / 4)
        // The last that had one.
        #expect(graph.contains(TokenGraph.familyLimit) && !graph.contains(1))
    }

    private static func arrival(_ number: Int) -> TokenGraph.Arrival {
        let client = ObservedClient(peer: "127.0.0.1", userAgent: nil, origin: nil, name: nil)
        return TokenGraph.Arrival(
            kind: .login,
            exchange: number,
            client: client,
            origin: "https://api.example.com",
            sentAt: TrafficScript.moment(Double(number))
        )
    }

    @Test(
        "of a session that may have been forgotten, nothing is certain",
        arguments: [false, true]
    )
    func doubt(isForgotten: Bool) throws {
        var script = TrafficScript()
        script.logIn(1)
        if isForgotten { Self.crowd(&script) }
        // Where its login was not seen: a session of before, or one that was forgotten.
        let number = isForgotten ? 1 : 2
        for _ in 1...8 {
            script.wait(0.5)
            script.call(number, "/items", 401)
        }
        let run = ObservationRun(script, rules: [.loop401])
        let loop = try #require(run.findings.first { $0.rule == "loop-401" }, "\(run.summary)")
        #expect(loop.confidence == (isForgotten ? .likely : .certain))
    }

    @Test("sessions that are forgotten while they are alive are counted as that")
    func coverage() {
        var script = TrafficScript()
        script.logIn(1)
        script.logOut(1)
        Self.crowd(&script)
        let coverage = ObservationRun(script, rules: []).machine.coverage
        #expect(coverage.sessionCount == TokenGraph.familyLimit + 2)
        #expect(coverage.count(.ended) == 1)
        #expect(coverage.forgotten > 0)
    }

    @Test("a renewal that takes long brings its pair, however much passes meanwhile")
    func longRenewal() {
        var script = TrafficScript()
        script.logIn(1)
        script.logIn(1_000)
        script.wait(290)
        let renewal = script.askRefresh(1)
        for _ in 0...ObservedTraffic.exchangeLimit { script.call(1_000) }
        script.finish(renewal, 200, TrafficScript.pair(2))
        script.call(2)
        let run = ObservationRun(script, rules: [])
        let graph = run.machine.traffic.graph
        #expect(graph.families.count == 2)
        #expect(graph.families[1]?.newest == 2)
        #expect(graph.families[1]?.newestGeneration?.deliveries.isEmpty == false)
        #expect(run.machine.omitted.isEmpty)
    }

    @Test("a socket that is open for long closes, however much passes meanwhile")
    func longSocket() {
        var script = TrafficScript()
        script.logIn(1)
        let socket = script.dial("/feed", bearer: TrafficScript.access(1))
        script.open(socket)
        for _ in 0...ObservedTraffic.exchangeLimit { script.call(1) }
        script.close(socket, by: .backend, code: 1000)
        let run = ObservationRun(script, rules: [])
        #expect(run.kinds(of: "1").contains("feedClosed"))
    }

    @Test("requests that are never answered are dropped in the end, which is told")
    func endless() {
        var script = TrafficScript()
        script.logIn(1)
        for _ in 0...6_000 { _ = script.send("GET", "/wait", bearer: TrafficScript.access(1)) }
        let run = ObservationRun(script, rules: [])
        #expect(run.machine.omitted.map(\.subject) == [.requests])
    }
}
