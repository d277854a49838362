import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: a failed renewal that waits for the next use")
struct SessionUseTests {
    private static func failed(
        _ faults: [ScriptedBackend.Fault] = [.status(503)],
        lifetime: Double = 900
    ) -> Scene {
        let traits = SessionTraits.testing(lead: 300, retriesOnUse: true)
        let scene = Scene.signedIn(traits: traits) {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
        }
        scene.backend.refreshFaults = faults
        scene.advanceToSoft()
        scene.advance(1)
        return scene
    }

    @Test(
        "arms no timer, before the access token's end and after it",
        arguments: [ScriptedBackend.Fault.status(503), .notSent, .lostRequest, .clientFault(404)]
    )
    func noTimer(fault: ScriptedBackend.Fault) {
        let scene = Self.failed([fault])
        #expect(scene.outlook?.nextAt == nil)
        #expect(scene.outlook?.hold == .use)
        #expect(scene.machine.nextDeadline == scene.machine.schedule?.hard)
        scene.advanceToHard()
        scene.advance(3600)
        #expect(scene.state.name == "offline")
        #expect(scene.outlook?.hold == .use)
        #expect(scene.machine.nextDeadline == nil)
        #expect(scene.refreshes.count == 1)
    }

    @Test("the next request renews first, and goes out with the new token")
    func nextRequest() {
        let scene = Self.failed()
        scene.request(1)
        scene.advance(2)
        #expect(scene.refreshes.map(\.cause) == [.timer, .caller])
        #expect(scene.protectedSends.map(\.token.generation) == [2])
        #expect(scene.state == .fresh)
        scene.advanceToSoft()
        scene.advance(1)
        #expect(scene.generation == 3)
    }

    @Test("a request whose renewal fails again uses the token that is still good")
    func failsAgain() {
        let scene = Self.failed([.status(503), .status(503)])
        scene.request(1)
        scene.advance(2)
        #expect(scene.refreshes.count == 2)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.outlook?.hold == .use)
        #expect(scene.outlook?.failures == 2)
    }

    @Test("once the access token is over a request waits for the renewal, or fails with it")
    func afterTheEnd() {
        let scene = Self.failed([.status(503), .status(503)])
        scene.advanceToHard()
        scene.advance(10)
        scene.request(1)
        scene.advance(2)
        #expect(scene.finished[1] == [.noToken(.offline(retryAt: nil))])
        scene.request(2)
        scene.advance(2)
        #expect(scene.finished[2] == [.accepted(status: 200)])
        #expect(scene.state == .fresh)
    }

    @Test("a 401 renews, and a refusal of that ends the session at once")
    func refusedAfter401() {
        let scene = Self.failed([.notSent, .notSent, .refused])
        scene.backend.protectedFaults = [.refused]
        scene.request(1)
        scene.advance(3)
        #expect(scene.refreshes.count == 3)
        #expect(scene.finished[1] == [.rejected(status: 401)])
        #expect(scene.state == .signedOut(.revoked))
    }

    @Test("Retry-After is not undercut by a use, which takes the token that is still good")
    func retryAfter() {
        let scene = Self.failed([.status(429, retryAfter: .seconds(60))])
        scene.request(1)
        scene.advance(2)
        #expect(scene.refreshes.count == 1)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        scene.advance(60)
        scene.request(2)
        scene.advance(2)
        #expect(scene.refreshes.count == 2)
    }

    @Test("a person, a resumed app and a new start try at once")
    func otherTries() {
        let person = Self.failed()
        person.send(.refreshNow)
        person.advance(1)
        #expect(person.state == .fresh)
        let resumed = Self.failed()
        resumed.send(.setPaused(true))
        resumed.send(.setPaused(false))
        resumed.advance(1)
        #expect(resumed.state == .fresh)
    }

    @Test("a lead of its own is granted up to half the lifetime")
    func lead() throws {
        for (lifetime, lead) in [(900.0, 300.0), (400, 200)] {
            let scene = Scene.signedIn(traits: .testing(lead: 300)) {
                $0.accessLifetime = lifetime
            }
            let pair = try #require(scene.machine.held)
            let left = try #require(pair.access).at.seconds(
                since: try #require(scene.machine.schedule).soft
            )
            // The jitter only makes it earlier, by a tenth at most.
            #expect((lead...lead * 1.1).contains(left))
        }
    }
}

extension AccessToken {
    /// As the scripted backend numbers them.
    fileprivate var generation: Int? {
        secret.reveal().split(separator: "-").last.flatMap { Int($0) }
    }
}
