import Dashboard
import Lifecycle
import Testing

@Suite("FeedSummary")
struct FeedSummaryTests {
    private static func parts(_ script: EventScript) -> [String] {
        FeedSummary(
            of: Scene(
                session: SessionSnapshot(folding: script.events),
                clock: SceneClock(now: script.now, utcOffsetSeconds: 0),
                focus: PaneCatalogue.first
            )
        )
        .parts
    }

    @Test("a refusal is no matter of the session's, unless the session ends")
    func refused() {
        for (script, isEnding) in [(EventScript.ordinary(), false), (.draining(), true)] {
            var script = script
            script.add(.feed(.stateChanged(.refused(status: 403, nextAt: script.instant(30)))))
            let parts = Self.parts(script)
            #expect(parts.first?.contains("403") == true)
            #expect(parts.contains("the session is untouched") == !isEnding)
            #expect(parts.contains("the session ends") == isEnding)
        }
    }
}
