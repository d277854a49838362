import Dialects
import Lifecycle
import Testing
import Tokens

@Suite("ClientMachine: a pair that is brought")
struct SessionImportTests {
    private static func scene(accessEndsIn seconds: Double) -> Scene {
        var traits = SessionTraits.testing(logInAtStart: false)
        traits.imported = IssuedTokens(
            access: AccessToken(Secret("brought-access")),
            refresh: RefreshToken(Secret("brought-refresh")),
            accessEvidence: [.webToken(expiresAt: Scene.epoch + seconds, issuedAt: nil)]
        )
        let scene = Scene(traits: traits)
        scene.send(.start)
        scene.settle()
        return scene
    }

    @Test("is stored and used, without a login")
    func used() {
        let scene = Self.scene(accessEndsIn: 600)
        #expect(scene.path == ["cold", "signedOut", "signingIn", "fresh"])
        #expect(scene.logins == 0)
        #expect(scene.generation == 1)
        #expect(scene.machine.held?.tokens.access.secret == Secret("brought-access"))
        #expect(scene.count("tokensIssued") == 1)
        #expect(scene.vault.record?.pair?.tokens == scene.machine.held?.tokens)
    }

    @Test("whose access token is over asks for another one at once")
    func over() {
        let scene = Self.scene(accessEndsIn: -60)
        #expect(scene.path.contains("blocked"))
        scene.advance(0.3)
        #expect(scene.refreshes.map(\.token) == [RefreshToken(Secret("brought-refresh"))])
    }
}
