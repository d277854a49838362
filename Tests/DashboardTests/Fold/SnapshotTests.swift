import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("Snapshot: folded from events")
struct SnapshotTests {
    private static func fold(_ story: Story) -> SessionSnapshot {
        SessionSnapshot(folding: story.events)
    }

    @Test("a session in the middle of its life")
    func ordinary() {
        let session = Self.fold(.ordinary())
        #expect(session.state == .fresh)
        #expect(session.current?.generation == 7)
        #expect(session.current?.requests == 2)
        #expect(session.current?.sockets == [7])
        #expect(session.refreshToken?.since == 1)
        #expect(session.refreshToken?.timesSent == 6)
        #expect(session.statistics.renewals.succeeded == 6)
        #expect(session.statistics.renewals.byCause == [.timer: 5, .unauthorized: 1])
        #expect(session.requestCounts.unauthorized == 1)
        #expect(session.lastEnding?.reason == .user)
        #expect(session.flight == nil)
        #expect(session.feed.lost == 0)
        #expect(session.generations.count == 7)
    }

    @Test("the same events give the same snapshot, in one go or one by one")
    func deterministic() {
        let story = Story.brokenFeed()
        var session = SessionSnapshot()
        for event in story.events { session.apply(event) }
        #expect(session == Self.fold(story))
    }

    @Test("a rotated refresh token begins anew")
    func rotation() {
        var story = Story.ordinary()
        story.generation += 1
        story.issue(.refresh, rotated: true, refresh: "deadbeef")
        let session = Self.fold(story)
        #expect(session.refreshToken?.fingerprint.digits == "deadbeef")
        #expect(session.refreshToken?.since == 8)
        #expect(session.refreshToken?.timesSent == 0)
    }

    @Test("an end is told twice and counted once", arguments: SignedOutReason.allCases)
    func ending(reason: SignedOutReason) {
        let session = Self.fold(.ended(reason))
        #expect(session.current == nil)
        #expect(session.schedule == nil)
        #expect(session.lastEnding?.reason == (reason == .never ? nil : reason))
        #expect(reason == .never || session.lastEnding?.startedAt != nil)
    }

    @Test("the end stays in sight after the next login, with its own time")
    func nextLogin() {
        var story = Story.ended(.revoked)
        let end = story.now
        story.wait(30)
        story.logIn()
        let session = Self.fold(story)
        #expect(session.lastEnding?.at == end)
        #expect(session.current?.generation == 1)
        #expect(session.statistics.renewals.succeeded == 0)
        #expect(session.flags == SessionFlags())
    }

    @Test("flags go up and down")
    func flags() {
        var story = Story.ordinary()
        story.add(.paused(by: .person))
        story.add(.unsaved(VaultProblem(words: "disk full")))
        #expect(Self.fold(story).flags.isPaused)
        #expect(Self.fold(story).flags.unsaved?.words == "disk full")
        story.add(.resumed(by: .person))
        story.add(.saved)
        #expect(Self.fold(story).flags == SessionFlags())
    }

    @Test("a pair may be told before or after its refresh succeeded")
    func order() {
        for isPairFirst in [true, false] {
            var story = Story.ordinary()
            story.flights += 1
            story.add(.refreshStarted(flight: 7, cause: .timer))
            let success = SessionEvent.Kind.refreshSucceeded(
                flight: 7,
                roundTrip: .milliseconds(9),
                leadLeft: .seconds(6),
                rotated: false
            )
            if !isPairFirst { story.add(success) }
            story.generation += 1
            story.issue(.refresh)
            if isPairFirst { story.add(success) }
            #expect(Self.fold(story).flights.last?.issued == 8)
        }
    }

    @Test("a switch of sockets is one line, and its close no news")
    func switches() {
        let session = Self.fold(.ordinary())
        let kinds = session.feed.log.filter { line in
            if case .message = line.kind { return false }
            return true
        }
        #expect(kinds.count == 7)
    }

    @Test("what was lost on the way is counted")
    func dropped() {
        var story = Story()
        story.add(.dropped(count: 3))
        story.add(.dropped(count: 4))
        #expect(Self.fold(story).troubles.droppedEvents == 7)
    }

    @Test("a failed login is told until the next one")
    func loginFailed() {
        var story = Story.cold()
        story.add(.loginStarted)
        story.add(.loginFailed(RefreshFailure(kind: .refused, status: 401, words: "no")))
        #expect(Self.fold(story).loginFailure?.status == 401)
        story.add(.loginStarted)
        #expect(Self.fold(story).loginFailure == nil)
    }
}
