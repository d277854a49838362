import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Text: states")
struct StateSummaryTests {
    private static func phrase(_ script: EventScript) -> StateSummary {
        StateSummary(
            of: ViewModel(
                session: SessionSnapshot(folding: script.events),
                clock: ViewClock(now: script.now, utcOffsetSeconds: 0),
                focus: PaneCatalogue.first
            )
        )
    }

    @Test(
        "each state says what is so and what comes next",
        arguments: [
            (EventScript.cold(), "⋯ reading the vault"),
            (EventScript.signingIn(), "◌ logging in"),
            (EventScript.ordinary(), "● fresh · renews in 5 s"),
            (
                EventScript.paused(),
                "● fresh · ‖ paused: renews only on r or a 401 · token ends in 12 s"
            ),
            (EventScript.renewing(), "◐ renewing · cause: timer · token usable for 5 s"),
            (
                EventScript.failing { .retrying($0) },
                "◑ renewal failed ×2 (503) · next try in 2 s · token usable for 4 s"
            ),
            (EventScript.blocked(), "◔ waiting for renewal · requests wait for 2 s"),
            (
                EventScript.failing { .expired($0) },
                "◇ access token expired, renewable · renewal failed ×2 (503) · next try in 2 s"
            ),
            (
                EventScript.failing(.unknown) { .unknown($0) },
                "◒ answer lost · asking again in 2 s · token usable for 4 s"
            ),
            (
                EventScript.failing(.unknown, status: 200) { .unknown($0) },
                "◒ answer not usable (200) · asking again in 2 s · token usable for 4 s"
            ),
            (
                EventScript.draining(),
                "▼ session ends in 5 s at 14:02:22 · refresh token refused · log in again with o"
            ),
            (EventScript.signingOut(), "◎ logging out · the tokens are erased here"),
            (EventScript.ended(.user), "○ logged out by you · press o to log in"),
            (
                EventScript.vaultLocked(),
                "⚠ vault locked: the keyring is locked · not signed out, read again soon, or now with u"
            ),
        ]
    )
    func sentence(script: EventScript, message: String) {
        #expect(Self.phrase(script).ways.first?.text == " \(message) ")
    }

    @Test("an open circuit breaker holds back no renewal of the timer, and is not green")
    func circuitBreakerOpened() {
        let summary = Self.phrase(.troubled())
        #expect(summary.ways.first?.text.hasPrefix(" ● fresh · renews in ") == true)
        #expect(summary.style == .headerWarning)
    }

    @Test("a spent refresh token is said to be refused next, and how long the session lasts")
    func spent() {
        var script = EventScript.ordinary()
        script.generation += 1
        script.issue(.refresh, keptRefresh: .spent)
        script.plan(in: 10, .refreshTokenSpent)
        let ways = Self.phrase(script).ways.map(\.text)
        #expect(
            ways.first == " ● fresh · the next renewal will be refused: the refresh token is spent"
                + " · this session lasts 19 s "
        )
        #expect(ways.contains(" ● fresh · the next renewal will be refused · lasts 19 s "))
    }

    @Test("no two states share a symbol, nor in ASCII")
    func symbols() {
        let symbols = StateSymbol.allCases.map(\.rawValue)
        #expect(Set(symbols).count == symbols.count)
        let letters = symbols.map { Grid.asciiForms[$0] ?? $0 }
        #expect(Set(letters).count == letters.count)
        #expect(letters.allSatisfy { $0.utf8.count == 1 })
    }

    @Test("a shorter way is never longer")
    func ways() {
        for (name, script) in EventScript.allStates {
            let widths = Self.phrase(script).ways.dropFirst().map(\.width)
            #expect(widths == widths.sorted(by: >), "\(name)")
        }
    }
}
