import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Screens: experiments")
struct ExperimentsScreenTests {
    private static func script(claimsSandbox: Bool = true) -> EventScript {
        var script = EventScript.ordinary()
        script.answer(claimsSandbox: claimsSandbox)
        return script
    }

    private static func state(_ script: EventScript, isLocal: Bool = true) -> DashboardState {
        DashboardState(
            script,
            session: DashboardSession(id: EventScript.session, isLocal: isLocal)
        )
    }

    private static func run(_ experiment: Fault) -> DashboardCommand {
        .perform(.experiment(experiment), on: EventScript.session)
    }

    @Test(
        "with what each sends, what is expected, and what it showed",
        arguments: [(120, 40), (60, 16)]
    )
    func list(columns: Int, rows: Int) throws {
        var script = Self.script()
        script.add(
            ExperimentResult(.corruptedToken, .tokenRefused(status: 401))
        )
        script.add(
            ExperimentResult(.replayedToken, .sessionRevoked(wasAccepted: false))
        )
        script.add(ExperimentStarted(.feedClose.at(.client)))
        script.wait(until: script.now.now.seconds(since: EventScript.start.now) + 60)
        var state = Self.state(script)
        _ = state.update(.clock(script.now))
        state.press("E", "j", "j")
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "experiments-\(columns)x\(rows)"
        )
    }

    @Test("on the sandbox of this machine Enter runs the selected one at once")
    func sandbox() {
        var state = Self.state(Self.script())
        state.press("E", "j")
        #expect(state.update(.key(.enter)) == [Self.run(.corruptedToken)])
        state.press("E")
        #expect(state.overlay == nil)
    }

    @Test("the result of one that has ended the session stays in sight")
    func ended() {
        var script = Self.script()
        var state = Self.state(script)
        state.press("E", "j", "j")
        let known = script.events.count
        script.add(ExperimentResult(.replayedToken, .sessionRevoked(wasAccepted: false)))
        script.add(SignedOut(.experiment))
        script.enter(.signedOut(.experiment))
        _ = state.update(.events(Array(script.events.dropFirst(known))))
        let screen = state.screen(120, 40, script.now).text
        #expect(screen.contains("refused, and the session is revoked"))
        #expect(screen.contains("no tokens to experiment with"))
    }

    @Test(
        "any other backend is asked about first, with the risk",
        arguments: [(true, false), (false, true)]
    )
    func asks(isLocal: Bool, claimsSandbox: Bool) {
        let script = Self.script(claimsSandbox: claimsSandbox)
        var state = Self.state(script, isLocal: isLocal)
        state.press("E", "j", "j")
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(
            state.screen(80, 24, script.now).text
                .contains("A backend with reuse detection revokes the session.")
        )
        #expect(state.update(.key("n")).isEmpty)
        #expect(state.faultList?.selected == .fault(.replayedToken))
        state.press(.enter)
        #expect(state.update(.key("y")) == [Self.run(.replayedToken)])
        #expect(state.faultList?.selected == .fault(.replayedToken))
    }

    @Test(
        "before two uses of a refresh token, the question says what comes of it under each policy",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func outcomes(columns: Int, rows: Int) {
        let script = Self.script(claimsSandbox: false)
        var state = Self.state(script)
        _ = state.update(.resized(columns: columns, rows: rows))
        state.press("E", "j", "j", "j")
        let list = state.screen(columns, rows, script.now).text
        #expect(list.contains("▸ two refreshes at once"))
        state.press(.enter)
        let question = state.screen(columns, rows, script.now).text
        for text in [list, question] {
            #expect(text.contains("strict: one is refused"))
            #expect(text.contains("strict-revoke: the session is lost"))
            #expect(text.contains("grace: both bring the same token"))
            #expect(text.contains("none, forks: two pairs"))
        }
        #expect(question.contains("yes, run it"))
        #expect(state.update(.key("y")) == [Self.run(.concurrentRefresh)])
    }

    @Test("the selected row and what is said of it are in sight", arguments: [(80, 24), (60, 16)])
    func inSight(columns: Int, rows: Int) {
        let script = Self.script()
        var state = Self.state(script)
        _ = state.update(.resized(columns: columns, rows: rows))
        state.press("E")
        for (index, row) in ["expired", "corrupted", "replay", "two", "lose", "cut", "shift"]
            .enumerated()
        {
            if index > 0 { state.press("j") }
            let text = state.screen(columns, rows, script.now).text
            #expect(text.contains("▸ \(row)") || text.contains("▸ send a"), "\(text)")
            #expect(text.contains("expected "), "\(text)")
        }
        state.press(.home)
        #expect(state.screen(columns, rows, script.now).text.contains("▸ send an expired"))
    }

    // MARK: - The clock

    private static func shift(_ seconds: Double) -> DashboardCommand {
        .shiftClock(seconds: seconds)
    }

    @Test("the clock is shifted by steps, and set right by Enter")
    func clockKeys() {
        var state = Self.state(Self.script())
        state.press("E")
        #expect(state.update(.key(.right)) == [Self.shift(60)])
        #expect(state.faultList?.selected == .clock)
        #expect(state.update(.key("+")) == [Self.shift(300)])
        #expect(state.update(.key(.right)).isEmpty)
        #expect(state.update(.key(.left)) == [Self.shift(60)])
        #expect(state.update(.key("-")) == [Self.shift(0)])
        #expect(state.update(.key(.left)) == [Self.shift(-60)])
        #expect(state.update(.key(.left)) == [Self.shift(-300)])
        #expect(state.update(.key(.enter)) == [Self.shift(0)])
        #expect(state.update(.key(.enter)) == [Self.shift(60)])
    }

    @Test(
        "the header says so as long as the clock is shifted",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func clockMark(columns: Int, rows: Int) {
        var script = Self.script()
        script.add(ClockShifted(seconds: -300))
        var state = Self.state(script)
        let header = { (state: inout DashboardState) in
            state.screen(columns, rows, script.now).text.split(separator: "\n")[0]
        }
        #expect(header(&state).contains("clock −5 m"))
        script.add(ClockShifted(seconds: 0))
        state = Self.state(script)
        #expect(!header(&state).contains("clock"))
    }

    @Test("what the shifted clock is found to be off by is in the list")
    func clockFound() {
        var script = Self.script()
        script.add(ClockShifted(seconds: 300))
        script.add(SkewChanged(ServerOffset(low: -300.4, likelyHigh: -299.5, high: -298.5)))
        var state = Self.state(script)
        state.press("E", .end)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("shift authtop's clock"))
        #expect(text.contains("the server's clock −5 m to −4 m 59 s against ours"))
    }

    @Test("one at a time")
    func oneAtATime() {
        var script = Self.script()
        script.add(ExperimentStarted(.feedClose.at(.client)))
        var state = Self.state(script)
        state.press("E")
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.notice?.message == "an experiment is running")
    }

    @Test("without tokens there is nothing to experiment with")
    func loggedOut() {
        var script = EventScript()
        script.capabilities()
        script.enter(.signedOut(.never))
        var state = Self.state(script)
        state.press("E")
        #expect(state.overlay == nil)
        #expect(state.notice?.message == "no tokens to experiment with: not logged in")
    }

    @Test("a request of an experiment is marked, and counted apart")
    func request() {
        var script = EventScript.ordinary()
        let before = SessionSnapshot(folding: script.events)
        script.add(
            Exchange(
                id: 901,
                purpose: .protected,
                method: "GET",
                target: "/me",
                result: .answered(status: 401),
                seconds: 0.01,
                generation: 1,
                why: .experiment(.corruptedToken)
            )
        )
        let after = SessionSnapshot(folding: script.events)
        #expect(after.requests.count == before.requests.count + 1)
        #expect(after.requestCounts.exchanges == before.requestCounts.exchanges)
        #expect(after.requestCounts.byExperiments == 1)
        #expect(after.statistics.requests == before.statistics.requests)
        #expect(after.history.count == before.history.count)
        var state = Self.state(script)
        let screen = state.screen(200, 60, script.now).text
        #expect(screen.contains("gen 2.1  experiment    "))
        #expect(screen.contains("1 by experiments"))
    }

    @Test(
        "the scorecard says whether the backend did what is expected",
        arguments: [
            (Fault.expiredToken, .tokenRefused(status: 401), .passed),
            (.corruptedToken, .tokenRefused(status: 401, hasOtherCause: true), .notReached),
            (.corruptedToken, .tokenAccepted(status: 200, secondsAfterEnd: nil), .failed),
            (.replayedToken, .sessionRevoked(wasAccepted: false), .passed),
            (.replayedToken, .acceptedAgain(isSamePair: false), .failed),
            (.concurrentRefresh, .refusedAlone, .passed),
            (.concurrentRefresh, .acceptedAgain(isSamePair: true), .passed),
            (.concurrentRefresh, .sessionRevoked(wasAccepted: false), .failed),
            (.dropAfterCommit.at(.client), .acceptedAgain(isSamePair: true), .passed),
            (.dropAfterCommit.at(.client), .refusedAlone, .failed),
            (.feedClose.at(.client), .feedReturned(seconds: 1, missed: 0), .passed),
            (.feedClose.at(.client), .feedStayedAway(seconds: 30), .failed),
            (.feedClose.at(.client), .interrupted, .notReached),
        ] as [(Fault, ExperimentVerdict, Scorecard.Verdict)]
    )
    func scorecards(experiment: Fault, shown: ExperimentVerdict, verdict: Scorecard.Verdict) {
        var script = EventScript.ordinary()
        script.add(ExperimentStarted(experiment))
        let running = SessionSnapshot(folding: script.events).experiments
        #expect(running.current == experiment)
        #expect(running.scorecards.map(\.verdict) == [.open])
        script.add(ExperimentResult(experiment, shown))
        let ended = SessionSnapshot(folding: script.events).experiments
        #expect(ended.current == nil)
        #expect(ended.scorecards.map(\.verdict) == [verdict])
        #expect(ended.scorecards.first?.lines.map(\.shown) == [shown])
    }

    @Test("each verdict has a sentence of its own")
    func sentences() {
        let verdicts: [ExperimentVerdict] = [
            .tokenRefused(status: 401), .tokenAccepted(status: 200, secondsAfterEnd: nil),
            .inconclusive(status: 503), .unanswered, .refusedAlone,
            .acceptedAgain(isSamePair: true),
            .acceptedAgain(isSamePair: false), .sessionRevoked(wasAccepted: true),
            .sessionRevoked(wasAccepted: false), .sessionRevoked(wasAccepted: nil),
            .feedReturned(seconds: 1, missed: 0),
            .feedReturned(seconds: 1, missed: 2), .feedReturnedSilent(seconds: 1),
            .feedStayedAway(seconds: 30), .onlyOneValid, .bothRefused, .notMade, .interrupted,
        ]
        for experiment in Fault.ofClient {
            let sentences = verdicts.map { CauseText().text(ExperimentResult(experiment, $0)) }
            #expect(Set(sentences).count == verdicts.count)
        }
    }
}
