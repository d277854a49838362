import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Text: what followed a request")
struct FollowUpTests {
    private static func text(_ number: Int, in script: EventScript) -> String? {
        let session = SessionSnapshot(folding: script.events)
        let viewModel = ViewModel(
            session: session,
            clock: ViewClock(now: script.now, utcOffsetSeconds: 0),
            focus: PaneCatalogue.first
        )
        return session.requests.entry(numbered: number).flatMap { request in
            session.followUp(of: request).flatMap {
                FollowUpText.ways($0, of: request, viewModel).first?.text
            }
        }
    }

    @Test(
        "it is derived from later events",
        arguments: [
            (1, "gen 2.1 issued: logged in"), (24, "gen 2.7 issued, refresh token unchanged"),
            (15, "refused: gen 2.5 issued, sent again as #17"), (17, "repeats #15"), (26, nil),
        ] as [(Int, String?)]
    )
    func ordinary(number: Int, message: String?) {
        #expect(Self.text(number, in: .ordinary()) == message)
    }

    @Test("a rotation is shown")
    func rotation() {
        var script = EventScript.ordinary()
        script.renew(rotated: true)
        #expect(Self.text(27, in: script) == "gen 2.8 issued, refresh token rotated")
    }

    @Test("of two refreshes at once, the one that was refused has brought nothing")
    func refusedAlone() throws {
        var script = EventScript.ordinary()
        script.renew(rotated: true)
        let session = SessionSnapshot(folding: script.events)
        let renewal = try #require(session.requests.entry(numbered: 27))
        var record = Exchange(
            id: 901,
            purpose: .refresh,
            method: "POST",
            target: "/auth/refresh",
            result: .answered(status: 401),
            seconds: 0.01,
            generation: 1,
            why: .experiment(.concurrentRefresh)
        )
        record.flight = renewal.exchange.flight
        script.add(record)
        #expect(Self.text(27, in: script) == "gen 2.8 issued, refresh token rotated")
        #expect(record.flight != nil)
        #expect(SessionSnapshot(folding: script.events).requests.entry(numbered: 901) != nil)
        #expect(Self.text(901, in: script) == nil)
    }

    @Test("of two refreshes at once that were both accepted, one has brought the pair in use")
    func bothAccepted() throws {
        var script = EventScript.ordinary()
        let first = script.requests + 1
        script.renewTwice(using: 1)
        #expect(Self.text(first, in: script) == "accepted, the other one's tokens are used")
        #expect(Self.text(first + 1, in: script) == "gen 2.8 issued, refresh token rotated")
        // The pair in use is refused later, and that of the other one takes its place.
        script.generation += 1
        script.issue(.refresh, rotated: true, request: first)
        #expect(Self.text(first, in: script) == "gen 2.9 issued, refresh token rotated")
        #expect(Self.text(first + 1, in: script) == "gen 2.8 issued, refresh token rotated")
    }

    @Test("a failure says when it is tried again")
    func failure() {
        let script = EventScript.failing { .retrying($0) }
        #expect(Self.text(27, in: script) == "backend unavailable, again at 14:02:18")
    }

    @Test(
        "an answer that never came is lost, one that says nothing is unusable",
        arguments: [(nil, "answer lost, again at"), (200, "answer not usable, again at")]
    )
    func withoutTokens(status: Int?, message: String) {
        let script = EventScript.failing(.unknown, status: status) { .unknown($0) }
        #expect(Self.text(27, in: script)?.hasPrefix(message) == true)
    }

    @Test("a refusal for good says in the backend's words that it ends the session")
    func refusal() {
        let message = "refused: \"Invalid or expired refresh token\", the session ends"
        #expect(Self.text(27, in: .draining()) == message)
    }

    @Test("a refusal whose answer is still awaited says so much")
    func open() {
        var script = EventScript.ordinary()
        script.request(status: 401)
        #expect(Self.text(27, in: script) == "token refused")
    }

    @Test("a 401 for a token that was replaced meanwhile was answered before")
    func replacedMeanwhile() {
        var script = EventScript.ordinary()
        script.request(status: 401, seconds: 90, generation: 6)
        #expect(Self.text(27, in: script) == "refused: gen 2.7 issued")
    }

    @Test("a pair that was there before a request did not follow it")
    func stale() {
        var script = EventScript.ordinary()
        script.request(status: 401, generation: 6)
        #expect(Self.text(27, in: script) == "token refused")
    }

    @Test("an answer to an app that was gone says that what it brought did not arrive")
    func undelivered() {
        var script = EventScript.ordinary()
        script.request(status: 200, isUndelivered: true)
        #expect(Self.text(27, in: script) == "the app had closed its connection")
        let session = SessionSnapshot(folding: script.events)
        #expect(session.requests.last.map { RequestText.style($0.exchange) } == .bad)
    }
}
