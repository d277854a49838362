import Model
import Testing
import UI

@testable import Profiles

@Suite("Lifetimes other than the documented ones")
struct DocumentedLifetimeTests {
    private static let documented = DocumentedLifetimes(access: 900, refresh: 604_800)

    /// The screen after a login, with the overlays that the keys open.
    private static func screen(
        accessLife: Double,
        refreshLife: Double = 604_800,
        _ documented: DocumentedLifetimes? = documented,
        columns: Int = 120,
        keys: [Key] = []
    ) -> String {
        var script = EventScript()
        script.capabilities(documented: documented)
        script.logIn(accessLife: accessLife, refreshLife: refreshLife)
        var state = DashboardState(script)
        for key in keys { state.press(key) }
        return state.screen(columns, 60, script.now).text
    }

    @Test("are marked beside their source")
    func marked() {
        let access = Self.screen(accessLife: 20)
        #expect(access.contains("· unlike the profile"), "\(access)")
        let both = Self.screen(accessLife: 20, refreshLife: 300, columns: 200)
        #expect(both.contains("unlike the profile: access 15 m, refresh 7 d"), "\(both)")
        let refresh = Self.screen(accessLife: 900, refreshLife: 300, columns: 200)
        #expect(refresh.contains("unlike the profile: refresh 7 d"), "\(refresh)")
    }

    @Test("are not seen in the seconds that a server rounds, nor where none is documented")
    func same() {
        for lifetime in [900.0, 899, 902] {
            #expect(!Self.screen(accessLife: lifetime).contains("unlike the profile"))
        }
        #expect(!Self.screen(accessLife: 20, nil).contains("unlike the profile"))
        let undocumented = DocumentedLifetimes(access: nil, refresh: nil)
        #expect(!Self.screen(accessLife: 20, undocumented).contains("unlike the profile"))
    }

    @Test("are in the detail of the pane, each with the documented one")
    func detail() {
        let text = Self.screen(accessLife: 20, refreshLife: 300, keys: ["2", .enter])
        #expect(text.contains("unlike the profile, which has 15 m"), "\(text)")
        #expect(text.contains("unlike the profile, which has 7 d"), "\(text)")
    }

    @Test("of a refresh token that does not slide are told at the login alone")
    func notSliding() {
        let documented = DocumentedLifetimes(access: 900, refresh: 604_800, refreshSlides: false)
        var script = EventScript()
        script.capabilities(rotation: .always, documented: documented)
        script.logIn(accessLife: 900, refreshLife: 604_800)
        script.wait(600)
        script.generation += 1
        script.issue(
            .refresh,
            accessLife: 900,
            refreshLeft: 300_000,
            refreshLife: 300_000,
            rotated: true
        )
        var state = DashboardState(script)
        #expect(!state.screen(120, 60, script.now).text.contains("unlike the profile"))
    }
}
