import Basics
import Testing
import UI

@testable import Model

/// The contradiction of refusals to a stated lifetime.
@Suite("Fold: refusals before the stated end")
struct EarlyRefusalTests {
    /// Pairs whose life is stated as `lifetime` seconds, each of which is asked for with at the given
    /// ages; the last request of each is refused.
    private static func script(
        lifetime: Double,
        source: ExpirySource = .lifetime,
        at place: String = "data.expiresIn",
        ages: [[Double]]
    ) -> EventScript {
        var script = EventScript()
        script.capabilities(lifetimePlace: place)
        script.logIn()
        for pair in ages {
            script.generation += 1
            script.issue(.refresh, access: Expiry(seconds: lifetime, source: source))
            var age = 0.0
            for (row, next) in pair.enumerated() {
                script.wait(next - age)
                age = next
                script.request(status: row == pair.count - 1 ? 401 : 200, seconds: 0)
            }
        }
        return script
    }

    @Test(
        "a lifetime is taken for milliseconds only if every refusal fits it",
        arguments: [
            // Milliseconds: refused when 20 s are over, twice.
            (20_000.0, [[21.0], [20.5]], .probable),
            // The same once, after it was accepted for most of the 20 s.
            (20_000, [[5, 15, 21]], .probable),
            (20_000, [[21]], .possible),
            // Refused at once: no lifetime explains it.
            (20_000, [[2]], .unlikely),
            // Accepted after the 20 s.
            (20_000, [[10, 30, 34]], .unlikely),
            (20_000, [[10, 25, 30], [21], [22]], .unlikely),
            // Refused much later.
            (20_000, [[300]], .unlikely),
            // One fits, the other does not.
            (20_000, [[2], [21]], .possible),
            // An hour of 3600 s is no 3.6 s.
            (3_600, [[4], [4]], .unlikely),
        ] as [(Double, [[Double]], EarlyRefusal.Milliseconds)]
    )
    func milliseconds(
        lifetime: Double,
        ages: [[Double]],
        expected: EarlyRefusal.Milliseconds
    ) throws {
        let session = SessionSnapshot(folding: Self.script(lifetime: lifetime, ages: ages).events)
        let refusal = try #require(session.earlyRefusal)
        #expect(refusal.milliseconds == expected)
        #expect(refusal.lifetime == lifetime)
        #expect(abs(refusal.age - (ages.last?.last ?? 0)) < 0.01)
    }

    @Test("what a JWT says of itself is in seconds")
    func webToken() throws {
        let script = Self.script(lifetime: 20_000, source: .webTokenLifetime, ages: [[21], [21]])
        let refusal = try #require(SessionSnapshot(folding: script.events).earlyRefusal)
        #expect(refusal.milliseconds == .unlikely)
    }

    @Test("a refusal near the stated end, or of an older pair, is none")
    func none() {
        let late = Self.script(lifetime: 100, ages: [[95]])
        #expect(SessionSnapshot(folding: late.events).earlyRefusal == nil)
        var old = Self.script(lifetime: 20_000, ages: [[21]])
        old.renew()
        old.renew()
        #expect(SessionSnapshot(folding: old.events).earlyRefusal == nil)
    }

    @Test(
        "the screen names age, stated life and the profile's line that mends it",
        arguments: [120, 80, 60]
    )
    func screen(columns: Int) {
        let script = Self.script(lifetime: 20_000, ages: [[21], [20.5]])
        var state = DashboardState(script)
        let rows = columns == 120 ? 40 : columns == 80 ? 24 : 16
        state.press(.character("2"))
        let brief = state.screen(columns, rows, script.now).text
        #expect(brief.contains("refused at 20 s of 5 h 33 m") || columns == 60)
        state.press(.enter)
        state.press(.end)
        let detail = state.screen(120, 60, script.now).text
        #expect(detail.contains("20 s of 5 h 33 m, 5 h 32 m before its stated end"))
        #expect(detail.contains("data.expiresIn is in milliseconds"))
        #expect(detail.contains("access_expires = \"milliseconds:data.expiresIn\""))
    }

    @Test("the line that mends it is one of a profile, whatever the place is called")
    func quotedPlace() {
        let place = "the \"own\".expiresIn"
        let script = Self.script(lifetime: 20_000, at: place, ages: [[21], [20.5]])
        var state = DashboardState(script)
        state.press(.character("2"))
        state.press(.enter)
        state.press(.end)
        let detail = state.screen(120, 60, script.now).text
        #expect(detail.contains(#"access_expires = "milliseconds:the \"own\".expiresIn""#))
    }

    @Test("a refused request says how old its token was, and how long it was to live")
    func request() {
        let script = Self.script(lifetime: 3_600, ages: [[30.2]])
        var state = DashboardState(script)
        state.press(.character("3"))
        state.press(.enter)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("refused at 30 s of 1 h, 59 m 29 s before its stated end"))
    }

    @Test(
        "a stated expiry that cannot be used is named",
        arguments: [
            (
                UnusableExpiry(place: "expires_in", problem: .notPositive, number: 0),
                "expires_in is 0: no lifetime"
            ),
            (
                UnusableExpiry(place: "expires_in", problem: .notPositive, number: -5),
                "expires_in is -5: no lifetime"
            ),
            (
                UnusableExpiry(place: "expires_in", problem: .instant, number: 1.79e9),
                "expires_in is a time since 1970, not a lifetime"
            ),
            (
                UnusableExpiry(place: "exp", problem: .milliseconds, number: 1.79e12),
                "exp is in milliseconds, not in seconds"
            ),
        ]
    )
    func unusable(statement: UnusableExpiry, message: String) {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        script.generation += 1
        script.issue(.refresh, unusable: UnusableExpiries(access: [statement]), isOpaque: true)
        var state = DashboardState(script)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains(message))
        #expect(!text.contains("no answer and no token says it"))
        state.press(.character("2"))
        state.press(.enter)
        #expect(state.screen(120, 40, script.now).text.contains(message))
    }
}
