import Dashboard
import Lifecycle
import Testing

@Suite("Words: where the feed stands")
struct FeedPhraseTests {
    private static func parts(_ story: Story) -> [String] {
        FeedPhrase(
            of: Scene(
                session: SessionSnapshot(folding: story.events),
                clock: SceneClock(now: story.now, utcOffsetSeconds: 0),
                focus: PaneCatalogue.first
            )
        )
        .parts
    }

    @Test("a refusal is no matter of the session's, unless the session ends")
    func refused() {
        for (story, isEnding) in [(Story.ordinary(), false), (.draining(), true)] {
            var story = story
            story.add(.feed(.stateChanged(.refused(status: 403, nextAt: story.instant(30)))))
            let parts = Self.parts(story)
            #expect(parts.first?.contains("403") == true)
            #expect(parts.contains("the session is untouched") == !isEnding)
            #expect(parts.contains("the session ends") == isEnding)
        }
    }
}
