import Model
import Profiles
import Testing

@testable import UI

@Suite("State: --readonly")
struct ReadOnlyTests {
    private static func state(_ script: EventScript, isReadOnly: Bool = true) -> DashboardState {
        DashboardState(script, configuration: DashboardConfiguration(isReadOnly: isReadOnly))
    }

    private static let byHand: [Key] = ["r", "p", "P", " ", "l", "L", "o", "S", "X", "v"]

    @Test(
        "a key that acts on the session or the backend is refused, with the reason",
        arguments: byHand
    )
    func refused(key: Key) {
        var script = EventScript.ordinary()
        script.answer(claimsSandbox: true)
        var state = Self.state(script)
        #expect(state.update(.key(key)).isEmpty)
        #expect(state.overlay == nil)
        #expect(
            state.notice?.message
                == "--readonly: keys only watch, nothing is sent or changed by hand"
        )
    }

    @Test(
        "every action on a session is one of the user's, but locking and another try of the vault"
    )
    func actions() {
        let script = EventScript.ordinary()
        for command in KeyTable.commands where command.modes.contains(.panes) {
            var state = Self.state(script)
            let commands = state.update(.key(command.keys[0]))
            let acts = commands.contains { command in
                switch command {
                case .perform, .faults, .shiftClock, .logInWith, .beginExperiment,
                    .stopExperiment, .editProfile:
                    true
                case .redraw, .ring, .announce, .suspend, .playback, .lock, .unlock, .copy,
                    .writeRecording, .writeProfile, .quit, .quitAtOnce:
                    false
                }
            }
            #expect(!acts, "\(command.help)")
        }
    }

    @Test("the vault can be tried again")
    func vault() {
        var script = EventScript()
        script.capabilities()
        script.enter(
            .vaultUnavailable(VaultProblem(.locked, message: "the keyring is locked"))
        )
        var state = Self.state(script)
        #expect(state.update(.key("u")) == [.tryVault])
    }

    @Test("the terminal in the background pauses as it does without")
    func background() {
        let session = DashboardSession(id: EventScript.session, pausesInBackground: true)
        var state = DashboardState(
            .ordinary(),
            configuration: DashboardConfiguration(isReadOnly: true),
            session: session
        )
        #expect(state.update(.background(true)) == [.setPaused(.timer, by: .background)])
    }

    @Test("the header and the help say so", arguments: [true, false])
    func shown(isReadOnly: Bool) {
        let script = EventScript.ordinary()
        var state = Self.state(script, isReadOnly: isReadOnly)
        #expect(state.screen(120, 40, script.now).text.contains("read-only") == isReadOnly)
        state.press("?")
        let help = state.screen(120, 200, script.now).text
        #expect(help.contains("renew the tokens now · read-only") == isReadOnly)
    }
}
