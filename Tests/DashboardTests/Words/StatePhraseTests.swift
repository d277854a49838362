import Dashboard
import Lifecycle
import Testing
import Timekeeping

@Suite("Words: states")
struct StatePhraseTests {
    private static func phrase(_ story: Story) -> StatePhrase {
        StatePhrase(
            of: Scene(
                session: SessionSnapshot(folding: story.events),
                clock: SceneClock(now: story.now, utcOffsetSeconds: 0),
                focus: PaneCatalogue.first
            )
        )
    }

    @Test(
        "each state says what is so and what comes next",
        arguments: [
            (Story.cold(), "⋯ reading the vault"),
            (Story.signingIn(), "◌ logging in"),
            (Story.ordinary(), "● fresh · renews in  5 s"),
            (
                Story.paused(),
                "● fresh · ‖ paused: renews only on r or a 401 · token usable for 11 s"
            ),
            (Story.renewing(), "◐ renewing · cause: timer · token usable for  5 s"),
            (
                Story.failing { .retrying($0) },
                "◑ renewal failed ×2 (503) · next try in  2 s · token usable for  4 s"
            ),
            (Story.blocked(), "◔ waiting for renewal · callers wait"),
            (
                Story.failing { .offline($0) },
                "◇ backend unavailable (503): session kept · next try in  2 s · failed ×2 (503)"
            ),
            (
                Story.failing(.unknown) { .unknown($0) },
                "◒ reply lost · asking again in  2 s · token usable for  4 s"
            ),
            (
                Story.failing(.unknown, status: 200) { .unknown($0) },
                "◒ reply unusable (200) · asking again in  2 s · token usable for  4 s"
            ),
            (
                Story.draining(),
                "▼ session ends in  5 s at 14:02:22 · refresh token refused · log in again with o"
            ),
            (Story.signingOut(), "◎ signing out · the tokens are erased here"),
            (Story.ended(.user), "○ signed out by you · press o to log in"),
            (
                Story.vaultLocked(),
                "⚠ vault locked: the keyring is locked · not signed out, read again soon, or now with u"
            ),
        ]
    )
    func sentence(story: Story, words: String) {
        #expect(Self.phrase(story).ways.first?.text == " \(words) ")
    }

    @Test("a storm of refusals says how long it holds renewals back")
    func storm() {
        let line = Self.phrase(.troubled()).ways.first?.text
        #expect(line == " ● fresh · renewal held back for 28 s · token usable for 11 s ")
    }

    @Test("no two states share a symbol, in ASCII neither")
    func symbols() {
        let symbols = StateSymbol.allCases.map(\.rawValue)
        #expect(Set(symbols).count == symbols.count)
        let letters = symbols.map { Grid.asciiForms[$0] ?? $0 }
        #expect(Set(letters).count == letters.count)
        #expect(letters.allSatisfy { $0.utf8.count == 1 })
    }

    @Test("a shorter way is never longer")
    func ways() {
        for (name, story) in Story.allStates {
            let widths = Self.phrase(story).ways.dropFirst().map(\.width)
            #expect(widths == widths.sorted(by: >), "\(name)")
        }
    }
}
