import Dashboard
import Lifecycle
import Testing
import Timekeeping

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

    private static func run(_ experiment: Experiment) -> DashboardCommand {
        .perform(.experiment(experiment), on: EventScript.session)
    }

    @Test(
        "with what each sends, what is expected, and what it showed",
        arguments: [(120, 40), (60, 16)]
    )
    func list(columns: Int, rows: Int) throws {
        var script = Self.script()
        script.add(
            .experimentEnded(ExperimentResult(.corruptedToken, .tokenRefused(status: 401)))
        )
        script.add(
            .experimentEnded(
                ExperimentResult(.replayedToken, .sessionRevoked(wasAccepted: false))
            )
        )
        script.add(.experimentStarted(.cutFeed))
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
        #expect(state.box == nil)
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
        #expect(state.box?.box == .experiments(selected: 2))
        state.press(.enter)
        #expect(state.update(.key("y")) == [Self.run(.replayedToken)])
        #expect(state.box?.box == .experiments(selected: 2))
    }

    @Test("one at a time")
    func oneAtATime() {
        var script = Self.script()
        script.add(.experimentStarted(.cutFeed))
        var state = Self.state(script)
        state.press("E")
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.notice?.message == "an experiment is under way")
    }

    @Test("without tokens there is nothing to experiment with")
    func loggedOut() {
        var script = EventScript()
        script.capabilities()
        script.enter(.signedOut(.never))
        var state = Self.state(script)
        state.press("E")
        #expect(state.box == nil)
        #expect(state.notice?.message == "no tokens to experiment with: not logged in")
    }

    @Test("a request of an experiment is marked, and counts for nothing")
    func request() {
        var script = EventScript.ordinary()
        let before = SessionSnapshot(folding: script.events)
        script.add(
            .request(
                RequestRecord(
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
        )
        let after = SessionSnapshot(folding: script.events)
        #expect(after.requests.count == before.requests.count + 1)
        #expect(after.requestCounts == before.requestCounts)
        #expect(after.statistics.requests == before.statistics.requests)
        #expect(after.history.count == before.history.count)
        var state = Self.state(script)
        #expect(
            state.screen(200, 60, script.now).text
                .contains("gen 2.1  experiment    ")
        )
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
            .feedStayedAway(seconds: 30), .interrupted,
        ]
        for experiment in Experiment.allCases {
            let sentences = verdicts.map {
                ExperimentText.sentence(ExperimentResult(experiment, $0))
            }
            #expect(Set(sentences).count == verdicts.count)
        }
    }
}
