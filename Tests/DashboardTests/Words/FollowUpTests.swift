import Dashboard
import Lifecycle
import Testing
import Timekeeping

@Suite("Words: what followed a request")
struct FollowUpTests {
    private static func words(_ number: Int, in story: Story) -> String? {
        let session = SessionSnapshot(folding: story.events)
        let clock = SceneClock(now: story.now, utcOffsetSeconds: 0)
        return session.requests.entry(numbered: number)
            .flatMap(session.followUp)
            .flatMap { FollowUpWords.ways($0, clock: clock).first?.text }
    }

    @Test(
        "it is told by later events",
        arguments: [
            (1, "gen 1 issued: logged in"), (24, "gen 7 issued, refresh token unchanged"),
            (15, "refused: gen 5 issued, sent again as #17"), (17, "repeats #15"), (26, nil),
        ] as [(Int, String?)]
    )
    func ordinary(number: Int, words: String?) {
        #expect(Self.words(number, in: .ordinary()) == words)
    }

    @Test("a rotation is told")
    func rotation() {
        var story = Story.ordinary()
        story.renew(rotated: true)
        #expect(Self.words(27, in: story) == "gen 8 issued, refresh token rotated")
    }

    @Test("a failure says when it is tried again")
    func failure() {
        let story = Story.failing { .retrying($0) }
        #expect(Self.words(27, in: story) == "backend unable, again at 14:02:18")
    }

    @Test(
        "an answer that never came is lost, one that says nothing is unusable",
        arguments: [(nil, "answer lost, again at"), (200, "answer unusable, again at")]
    )
    func withoutTokens(status: Int?, words: String) {
        let story = Story.failing(.unknown, status: status) { .unknown($0) }
        #expect(Self.words(27, in: story)?.hasPrefix(words) == true)
    }

    @Test("a refusal for good says that it ends the session")
    func refusal() {
        let words = "refused: the session ends, refresh token refused"
        #expect(Self.words(27, in: .draining()) == words)
    }

    @Test("a refusal whose answer is still awaited says so much")
    func open() {
        var story = Story.ordinary()
        story.request(status: 401)
        #expect(Self.words(27, in: story) == "token refused")
    }

    @Test("a 401 for a token that is old already was answered before")
    func stale() {
        var story = Story.ordinary()
        story.request(status: 401, generation: 6)
        #expect(Self.words(27, in: story) == "refused: gen 7 issued")
    }
}
