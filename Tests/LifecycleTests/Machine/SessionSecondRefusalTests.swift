import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: a renewed access token that is refused, too")
struct SessionSecondRefusalTests {
    private static func refusing(ends: Bool) -> Scene {
        let scene = Scene.signedIn(traits: .testing(secondRefusalEnds: ends)) {
            $0.accessLifetime = 900
        }
        scene.advance(60)
        scene.backend.rejectsAll = true
        scene.request(1)
        scene.advance(2)
        return scene
    }

    @Test("ends the session where the profile says so")
    func ends() {
        let scene = Self.refusing(ends: true)
        #expect(scene.state == .signedOut(.renewedTokenRefused))
        #expect(scene.finished[1] == [.rejected(status: 401)])
        #expect(scene.protectedSends.count == 2)
        #expect(scene.refreshes.count == 1)
        #expect(scene.storedPair == nil)
        #expect(scene.vault.holder == nil)
    }

    @Test("keeps the session otherwise")
    func keeps() {
        let scene = Self.refusing(ends: false)
        #expect(scene.state.isLive)
        #expect(scene.finished[1] == [.rejected(status: 401)])
        #expect(scene.storedPair != nil)
    }

    @Test("the request that is sent again is marked as that, and no other")
    func marked() {
        let scene = Scene.signedIn()
        scene.request(1)
        scene.advance(1)
        #expect(scene.retries == 0)
        scene.backend.protectedFaults = [.refused]
        scene.request(2)
        scene.advance(2)
        #expect(scene.finished[2] == [.accepted(status: 200)])
        #expect(scene.retries == 1)
    }

    @Test("does not end it when a newer one is there already")
    func olderToken() {
        let scene = Scene.signedIn(traits: .testing(secondRefusalEnds: true)) {
            $0.accessLifetime = 900
        }
        scene.advance(60)
        scene.backend.protectedFaults = [.refused, .refused]
        scene.request(1)
        scene.advance(0.7)
        #expect(scene.generation == 2)
        scene.siblingRenews()
        scene.send(.vaultChanged)
        scene.settle()
        scene.advance(2)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 3)
    }

    @Test("a 401 whose renewal is refused leaves nothing to live on")
    func renewalRefused() {
        let scene = Scene.signedIn()
        scene.backend.protectedFaults = [.refused]
        scene.backend.refreshFaults = [.refused]
        scene.request(1)
        scene.advance(2)
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.finished[1] == [.rejected(status: 401)])
    }
}
