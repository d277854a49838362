import Basics
import Profiles
import Testing

@testable import Model
@testable import UI

@Suite("Snapshot: folded from events")
struct SnapshotTests {
    private static func fold(_ script: EventScript) -> SessionSnapshot {
        SessionSnapshot(folding: script.events)
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
        #expect(session.requestCounts.exchanges.unauthorized == 1)
        #expect(session.lastEnding?.reason == .user)
        #expect(session.flight == nil)
        #expect(session.feed.counts.lost == 0)
        #expect(session.generations.count == 7)
    }

    @Test("the same events give the same snapshot, in one go or one by one")
    func deterministic() {
        let script = EventScript.brokenFeed()
        var session = SessionSnapshot()
        for event in script.events { session.apply(event) }
        #expect(session == Self.fold(script))
    }

    @Test("the use of a rotated refresh token begins again")
    func rotation() {
        var script = EventScript.ordinary()
        script.generation += 1
        script.issue(.refresh, rotated: true, refresh: "deadbeef")
        let session = Self.fold(script)
        #expect(session.refreshToken?.fingerprint.digits == "deadbeef")
        #expect(session.refreshToken?.since == 8)
        #expect(session.refreshToken?.timesSent == 0)
    }

    @Test("an end has two events and is counted once", arguments: SignedOutReason.allCases)
    func ending(reason: SignedOutReason) {
        let session = Self.fold(.ended(reason))
        #expect(session.current == nil)
        #expect(session.renewalPlan == nil)
        #expect(session.usableUntil == nil)
        #expect(session.lastEnding?.reason == (reason == .never ? nil : reason))
        #expect(reason == .never || session.lastEnding?.startedAt != nil)
    }

    @Test("the end stays in sight after the next login, with its own time")
    func nextLogin() {
        var script = EventScript.ended(.revoked)
        let end = script.now
        script.wait(30)
        script.logIn()
        let session = Self.fold(script)
        #expect(session.lastEnding?.at == end)
        #expect(session.current?.generation == 1)
        #expect(session.statistics.renewals.succeeded == 0)
        #expect(session.flags == SessionFlags())
    }

    @Test("flags go up and down")
    func flags() {
        var script = EventScript.ordinary()
        script.add(RenewalPaused(.timer, by: .user))
        script.add(PairUnsaved(VaultProblem(message: "disk full")))
        #expect(Self.fold(script).flags.isPaused)
        #expect(Self.fold(script).flags.unsaved?.message == "disk full")
        script.add(RenewalResumed(by: .user))
        script.add(PairSaved())
        #expect(Self.fold(script).flags == SessionFlags())
    }

    @Test("a pair may be notified before or after its refresh succeeded")
    func order() {
        for isPairFirst in [true, false] {
            var script = EventScript.ordinary()
            script.flights += 1
            script.add(RefreshStarted(flight: 7, cause: .timer))
            let success = RefreshSucceeded(
                flight: 7,
                roundTrip: .milliseconds(9),
                remainingLead: .seconds(6),
                rotated: false
            )
            if !isPairFirst { script.add(success) }
            script.generation += 1
            script.issue(.refresh)
            if isPairFirst { script.add(success) }
            #expect(Self.fold(script).flights.last?.issued == 8)
        }
    }

    @Test("a refresh in flight is a request whose age grows, and its answer takes its place")
    func refreshInFlight() throws {
        var script = EventScript.renewing()
        script.wait(3)
        let clock = ViewClock(now: script.now, utcOffsetSeconds: 0)
        let sent = try #require(Self.fold(script).requests.last)
        #expect(sent.exchange.isAwaited)
        #expect(sent.exchange.target == "/auth/refresh")
        #expect(RequestText.seconds(sent, clock) == 3)
        let count = Self.fold(script).requests.count
        let sentBefore = Self.fold(script).requestCounts.exchanges.sent
        #expect(Self.fold(script).followUp(of: sent) == nil)
        script.request(
            .refresh,
            "POST",
            "/auth/refresh",
            status: 200,
            seconds: 3,
            why: .refresh(.timer),
            flight: script.flights
        )
        let session = Self.fold(script)
        #expect(session.requests.count == count)
        #expect(session.requests.last?.exchange.status == 200)
        #expect(session.requests.last?.number == sent.number)
        #expect(session.requestCounts.exchanges.sent == sentBefore + 1)
    }

    @Test("a switch of sockets is one line, and its close no news")
    func switches() {
        let session = Self.fold(.ordinary())
        let kinds = session.feed.log.filter { line in
            if case .message = line.event { return false }
            return true
        }
        #expect(kinds.count == 7)
    }

    @Test("what was lost on the way is counted")
    func dropped() {
        var script = EventScript()
        script.add(EventsDropped(count: 3))
        script.add(EventsDropped(count: 4))
        #expect(Self.fold(script).problems.droppedEvents == 7)
    }

    @Test("a failed login is shown until the next one")
    func loginFailed() {
        var script = EventScript.cold()
        script.add(LoginStarted())
        script.add(LoginFailed(RefreshFailure(.credentialsRefused(status: 401, detail: "no"))))
        #expect(Self.fold(script).loginFailure?.status == 401)
        script.add(LoginStarted())
        #expect(Self.fold(script).loginFailure == nil)
    }
}
