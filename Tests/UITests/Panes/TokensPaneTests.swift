import Basics
import Model
import Testing
import UI

@testable import Profiles

@Suite("The pane of tokens")
struct TokensPaneTests {
    /// The screen after a renewal that replaced the refresh token, or did not.
    private static func screen(_ rotation: Rotation, rotated: Bool) -> String {
        var script = EventScript()
        script.capabilities(rotation: rotation)
        script.logIn()
        script.renew(rotated: rotated)
        var state = DashboardState(script)
        return state.screen(120, 40, script.now).text
    }

    @Test(
        "does not repeat the profile's word where a renewal has shown otherwise",
        arguments: [
            (Rotation.always, true, "a new one at each renewal"),
            (.always, false, "not replaced, unlike the profile"),
            (.never, false, "never rotated by this backend"),
            (.never, true, "replaced, unlike the profile"),
            (.maybe, false, "rotation: the backend's choice"),
        ]
    )
    func rotation(rotation: Rotation, rotated: Bool, text: String) {
        #expect(Self.screen(rotation, rotated: rotated).contains(text))
    }

    @Test("says what the two numbers of a generation are, once there are two")
    func generations() {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        var state = DashboardState(script)
        #expect(!state.screen(120, 40, script.now).text.contains("of login"))
        script.logIn()
        script.renew()
        state = DashboardState(script)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("gen 2.2: pair 2 of login 2"), "\(text)")
    }

    @Test("says that a token is spent that the last renewal did not replace")
    func spent() {
        var script = EventScript()
        script.capabilities(rotation: .maybe)
        script.logIn()
        script.generation += 1
        script.issue(.refresh, keptRefresh: .spent)
        var state = DashboardState(script)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("‹91bb04c7›  spent"), "\(text)")
        #expect(text.contains("refresh  spent"), "\(text)")
    }

    @Test("lists the captured values by fingerprint, and what is missing, in its detail")
    func captures() throws {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        script.add(
            CapturesChanged([
                CaptureDescription(
                    CaptureReference(name: "csrf", source: "cookie:csrf_token"),
                    fingerprint: Fingerprint(digits: "3f9c21ab")
                ),
                CaptureDescription(
                    CaptureReference(name: "device", source: "json:device.id"),
                    fingerprint: nil
                ),
            ])
        )
        var state = DashboardState(script)
        state.press("1", .enter)
        let text = state.screen(120, 60, script.now).text
        #expect(text.contains("‹3f9c21ab› from cookie:csrf_token"))
        #expect(text.contains("missing: no answer has brought json:device.id"))
    }
}
