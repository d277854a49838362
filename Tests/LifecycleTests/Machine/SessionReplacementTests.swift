import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: a session that cannot be renewed is replaced by a login")
struct SessionReplacementTests {
    /// As melchat's: the access token alone ends a session that has no refresh token left.
    private static let traits = SessionTraits.testing(
        logInAtStart: false,
        logoutNeeds: [.this: LogoutNeeds(refresh: true, accessSuffices: true)]
    )

    private static func loggedIn(
        _ change: (inout ScriptedBackend) -> Void = { _ in }
    ) -> Scene {
        let scene = Scene(traits: traits)
        change(&scene.backend)
        scene.send(.start)
        scene.settle()
        scene.send(.logIn)
        scene.advance(1)
        return scene
    }

    @Test("after a refusal, and after a new start, it comes up as draining and nothing else")
    func restarted() {
        let scene = Self.loggedIn()
        scene.backend.refreshFaults = [.refused]
        scene.send(.refreshNow)
        scene.advance(1)
        #expect(scene.state == .draining(.revoked))
        let next = scene.restarted(traits: Self.traits)
        #expect(next.path == ["cold", "draining"])
        #expect(next.feedOrders.count == 1)
    }

    @Test("the new pair takes its place at once, and its access token is revoked after that")
    func replaced() throws {
        let scene = Self.loggedIn()
        scene.backend.refreshFaults = [.refused]
        scene.send(.refreshNow)
        scene.advance(1)
        let next = scene.restarted(traits: Self.traits)
        let old = try #require(next.machine.held?.tokens.access)
        next.send(.logIn)
        next.advance(0.3)
        #expect(next.state == .fresh)
        #expect(next.storedPair?.tokens.refresh != nil)
        next.advance(1)
        #expect(next.revocations.map(\.entry.access) == [old])
        #expect(next.revocations.map(\.entry.refresh) == [nil])
        #expect(next.backend.families.map(\.isEnded) == [true, false])
        #expect(next.vault.record?.outbox.isEmpty == true)
    }

    @Test("a login that fails leaves it as it was")
    func fails() {
        let scene = Self.loggedIn()
        scene.backend.refreshFaults = [.refused]
        scene.send(.refreshNow)
        scene.advance(1)
        let stored = scene.vault.record?.pair
        scene.backend.loginFaults = [.refused]
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.state == .draining(.revoked))
        #expect(scene.vault.record?.pair == stored)
        #expect(scene.revocations.isEmpty)
    }

    @Test("a session that never had a refresh token is replaced while its access token is good")
    func withoutRefreshToken() {
        let scene = Self.loggedIn { $0.hasRefreshToken = false }
        #expect(scene.state == .fresh)
        scene.backend.loginFaults = [.status(503)]
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.machine.session == 1)
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.machine.session == 2)
        #expect(scene.refusedActs.isEmpty)
    }

    @Test("a session whose refresh token's end has passed is replaced")
    func refreshTokenOver() {
        let scene = Self.loggedIn {
            $0.accessLifetime = 600
            $0.refreshLifetime = 30
        }
        scene.send(.setPaused(true))
        scene.advance(20)
        scene.send(.logIn)
        #expect(scene.refusedActs.count == 1)
        scene.advance(20)
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.machine.session == 2)
    }

    @Test("what another process stored in its place is revoked, too, once the new pair is stored")
    func storedByAnother() throws {
        let scene = Self.loggedIn()
        scene.backend.subject = "u2"
        scene.siblingLogsIn(as: "u2")
        scene.send(.vaultChanged)
        scene.settle()
        #expect(scene.state == .signedOut(.replaced))
        let theirs = try #require(scene.vault.record?.pair?.tokens.refresh)
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.revocations.map(\.entry.refresh) == [theirs])
    }

    @Test("a pair that is not stored yet revokes nothing that is stored")
    func notStoredYet() {
        let scene = Self.loggedIn()
        scene.backend.refreshFaults = [.refused]
        scene.send(.refreshNow)
        scene.advance(1)
        scene.send(.logIn)
        scene.settle()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.revocations.isEmpty)
        scene.vault.writeProblem = nil
        scene.advance(20)
        #expect(scene.has("saved"))
        #expect(scene.revocations.count == 1)
    }
}
