import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: renewals that gain nothing")
struct SessionNoProgressTests {
    @Test("an end that does not move slows the renewals down")
    func sameEnd() {
        let scene = Scene.signedIn {
            $0.statement = .fixed(Scene.epoch + 60)
            $0.refreshLifetime = nil
        }
        scene.advance(3600)
        #expect(scene.has("noProgress"))
        #expect(scene.refreshes.count < 40)
        #expect(scene.state.isLive)
        #expect(scene.signedOutReasons.isEmpty)
    }

    @Test(
        "tokens that are dead on arrival are renewed ever more seldom",
        arguments: [-3600.0, -60, -1, 0]
    )
    func deadOnArrival(lifetime: Double) {
        let scene = Scene.signedIn {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
        }
        scene.advance(3600)
        #expect(scene.refreshes.count < 40)
        #expect(scene.protectedSends.isEmpty)
        #expect(scene.state.isLive)
        #expect(scene.machine.nextDeadline != nil)
    }

    @Test("a server clock that is far behind does not make a loop", arguments: [-3600.0, 3600])
    func skewed(ahead: Double) {
        let scene = Scene.signedIn {
            $0.statement = .webTokenExpiry
            $0.ahead = ahead
            $0.refreshLifetime = nil
        }
        scene.advance(3600)
        #expect(scene.refreshes.count <= 3600 / 40)
        #expect(scene.refreshes.count >= 3600 / 60 - 2)
        for (at, token) in scene.protectedSends {
            #expect(scene.backend.accessEnds[token.secret.reveal()] ?? 0 > Scene.epoch + at)
        }
    }

    @Test("once tokens live again, the usual rhythm is back")
    func recovers() {
        let scene = Scene.signedIn {
            $0.accessLifetime = -5
            $0.refreshLifetime = nil
        }
        scene.advance(30)
        scene.backend.accessLifetime = 60
        scene.advance(120)
        #expect(scene.state == .fresh)
        let before = scene.refreshes.count
        scene.advance(480)
        #expect((9...11).contains(scene.refreshes.count - before))
    }

    @Test("a renewal that a person asked for is no sign of a loop")
    func person() {
        let scene = Scene.signedIn()
        for _ in 0..<5 {
            scene.send(.refreshNow)
            scene.advance(0.5)
        }
        #expect(!scene.has("noProgress"))
        #expect(scene.refreshes.count == 5)
    }

    @Test("logging out everywhere does not insist on tokens that are dead on arrival")
    func logoutEverywhere() {
        let scene = Scene.signedIn {
            $0.accessLifetime = -5
            $0.refreshLifetime = nil
        }
        scene.send(.logOut(.everywhere))
        scene.advance(60)
        #expect(scene.refreshes.count < 10)
    }

    @Test(
        "dead tokens whose refresh token a sibling saw refused are an end, slowed or paused",
        arguments: [false, true]
    )
    func siblingWasRefused(isPaused: Bool) {
        let scene = Scene.signedIn {
            $0.accessLifetime = -5
            $0.refreshLifetime = nil
        }
        scene.advance(30)
        scene.send(.setPaused(isPaused))
        #expect(scene.state.name == "offline")
        scene.vault.record?.pair?.generation += 1
        scene.vault.record?.pair?.tokens.refresh = nil
        scene.vault.record?.pair?.ending = .consumeWithoutReturn
        scene.send(.vaultChanged)
        scene.advance(0.1)
        #expect(scene.state == .signedOut(.consumeWithoutReturn))
    }
}
