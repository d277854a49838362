import Testing
import UI

@testable import Model

/// Whether the backend answers, and where the token stands, are told apart.
@Suite("Text: whether the backend answers")
struct ReachabilityTests {
    private static func screen(_ script: EventScript, _ columns: Int = 120, _ rows: Int = 40)
        -> String
    {
        var state = DashboardState(script)
        return state.screen(columns, rows, script.now).text
    }

    private static func requesting(
        _ results: [Exchange.Result],
        in script: EventScript = .ordinary()
    ) -> EventScript {
        var script = script
        for result in results {
            script.wait(1)
            script.request(
                .protected,
                "GET",
                "/posts/feed",
                result,
                seconds: 0.01,
                why: .interval(seconds: 5)
            )
        }
        return script
    }

    @Test(
        "a backend that fails is said to while the token is fresh, and what failed",
        arguments: [
            (
                Exchange.Result.notSent(.unreachable(detail: "connection refused")),
                "⚠ backend unreachable ×3: connection refused"
            ),
            (
                .unanswered(detail: "connection reset"),
                "⚠ no answer from the backend ×3: connection reset"
            ),
        ]
    )
    func failing(result: Exchange.Result, warning: String) {
        let script = Self.requesting(Array(repeating: result, count: 3))
        let text = Self.screen(script)
        #expect(text.contains("● fresh"))
        #expect(text.contains(warning))
        for (columns, rows) in [(80, 24), (60, 16)] {
            #expect(Self.screen(script, columns, rows).contains("⚠"))
        }
        let session = SessionSnapshot(folding: script.events)
        #expect(session.reachability.failures == 3)
        let recovered = Self.requesting([.answered(status: 401)], in: script)
        #expect(!Self.screen(recovered).contains(String(warning.prefix(12))))
    }

    @Test(
        "any response but a server error counts, regardless of its meaning for the session",
        arguments: [200, 301, 400, 401, 403, 404, 429]
    )
    func answered(status: Int) {
        let script = Self.requesting(Array(repeating: .answered(status: status), count: 18))
        let session = SessionSnapshot(folding: script.events)
        #expect(session.reachability.failures == 0)
        #expect(session.reachability.lastAnswerAt == script.now)
        let text = Self.screen(script)
        #expect(!text.contains("unreachable") && !text.contains("offline"))
    }

    @Test("a request that was not sent for a cause here says nothing of the backend")
    func heldHere() {
        let cause = UnsentCause.noEndpoint(dialect: "acme")
        let script = Self.requesting([.notSent(cause)])
        #expect(SessionSnapshot(folding: script.events).reachability.failures == 0)
    }

    @Test(
        "an access token that has ended is said to have, and the cause is that of the failure",
        arguments: [
            (RefreshFailure.Cause.unavailable(status: 401, detail: nil), "(401)"),
            (.notUnderstood(status: 404, detail: nil), "(404)"),
            (.unusableAnswer(status: 200, detail: "an HTML page"), "(200)"),
            (.unsent(.unreachable(detail: "refused")), "(backend unreachable)"),
        ]
    )
    func expired(cause: RefreshFailure.Cause, shown: String) {
        var script = EventScript.ordinary()
        script.wait(20)
        script.enter(
            .expired(
                RetryOutlook(
                    failures: 3,
                    failure: RefreshFailure(cause),
                    nextAt: script.instant(4)
                )
            )
        )
        for (columns, rows) in [(120, 40), (80, 24), (60, 16)] {
            let text = Self.screen(script, columns, rows)
            #expect(text.contains("token expired"))
            #expect(text.contains(shown))
            #expect(!text.contains("offline") && !text.contains("backend unavailable"))
        }
    }

    @Test("paused past the token's end, the screen says that it is sent on")
    func paused() {
        var script = EventScript.paused()
        script.wait(20)
        let failure = RefreshFailure(.paused)
        script.enter(
            .expired(RetryOutlook(failures: 0, failure: failure, nextAt: nil, hold: .paused))
        )
        #expect(Self.screen(script).contains("access token expired, still sent · ‖ paused"))
        script.add(RenewalPaused(.all, by: .user))
        #expect(Self.screen(script).contains("still sent · ‖ no renewal: 401s are shown"))
    }
}
