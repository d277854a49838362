import Testing

@testable import Model
@testable import UI

@Suite("FeedSummary")
struct FeedSummaryTests {
    private static func parts(_ script: EventScript) -> [String] {
        FeedSummary(
            of: ViewModel(
                session: SessionSnapshot(folding: script.events),
                clock: ViewClock(now: script.now, utcOffsetSeconds: 0),
                focus: PaneCatalogue.first
            )
        )
        .parts
    }

    @Test("a refusal is no matter of the session's, unless the session ends")
    func refused() {
        for (script, isEnding) in [(EventScript.ordinary(), false), (.draining(), true)] {
            var script = script
            script.add(FeedStateChanged(.refused(status: 403, nextAt: script.instant(30))))
            let parts = Self.parts(script)
            #expect(parts.first?.contains("403") == true)
            #expect(parts.contains("the session is untouched") == !isEnding)
            #expect(parts.contains("the session ends") == isEnding)
        }
    }

    @Test("a socket that does not answer is not shown as open and well, nor with an old ping")
    func silent() {
        var script = EventScript.ordinary()
        script.add(FeedPinged(socket: script.sockets, roundTrip: .milliseconds(1)))
        #expect(Self.parts(script).contains { $0.hasPrefix("ping ") })
        script.wait(20)
        #expect(Self.parts(script).contains { $0.hasPrefix("ping ") })
        script.wait(2)
        let parts = Self.parts(script)
        #expect(parts.contains { $0.hasSuffix("not even a pong") })
        #expect(!parts.contains { $0.hasPrefix("ping ") })
    }

    @Test("a feed that has stopped says which key dials again")
    func stopped() {
        var script = EventScript.ordinary()
        script.add(FeedStateChanged(.stopped(why: .upgradeRefused(status: 404))))
        #expect(Self.parts(script).contains("r dials again"))
    }
}
