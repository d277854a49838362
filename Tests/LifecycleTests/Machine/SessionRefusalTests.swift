import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: terminal answers")
struct SessionRefusalTests {
    private static func refused(
        traits: SessionTraits = .testing(),
        lifetime: Double = 60,
        _ faults: ScriptedBackend.Fault...
    ) -> Scene {
        let scene = Scene.signedIn(traits: traits) { $0.accessLifetime = lifetime }
        scene.backend.refreshFaults = faults
        scene.advanceToSoft()
        scene.advance(0.3)
        return scene
    }

    @Test("refused, unchanged, now < hard → draining(why): calls succeed until hard")
    func draining() {
        let scene = Self.refused(.refused)
        #expect(scene.state == .draining(.revoked))
        #expect(scene.has("draining"))
        scene.request(1)
        scene.advance(0.3)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.storedPair?.tokens.refresh == nil)
        #expect(scene.storedPair != nil)
    }

    @Test("draining, hard → signedOut(why), and the token is not sent again")
    func drainingEnds() {
        let scene = Self.refused(.refused)
        scene.advanceToHard()
        scene.settle()
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.refreshes.count == 1)
        #expect(scene.storedPair == nil)
        #expect(scene.feedOrders.last == .ended)
        scene.advance(1000)
        #expect(scene.refreshes.count == 1)
    }

    @Test("draining, 401(current) → signedOut(why)")
    func drainingRejected() {
        let scene = Self.refused(.refused)
        scene.backend.endAccessTokens()
        scene.request(1)
        scene.advance(1)
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.finished[1] == [.rejected(status: 401)])
    }

    @Test("draining, a refusal of the feed's ends nothing: it may mean anything")
    func drainingFeedRejected() {
        let scene = Self.refused(.refused)
        scene.send(.feedRejected(generation: 1))
        scene.settle()
        #expect(scene.state == .draining(.revoked))
    }

    @Test("draining, neither a person nor a caller sends the refused token again")
    func drainingIsFinal() {
        let scene = Self.refused(.refused)
        scene.send(.refreshNow)
        scene.send(.setPaused(true))
        scene.send(.setPaused(false))
        scene.needToken(1)
        scene.advance(5)
        #expect(scene.refreshes.count == 1)
        #expect(scene.refusedActs.count == 1)
        #expect(scene.resumed[1]?.first?.generation == 1)
    }

    @Test("refused, unchanged, now ≥ hard → signedOut(why)")
    func signedOut() {
        let scene = Scene.signedIn { $0.roundTrip = 15 }
        scene.backend.refreshFaults = [.refused]
        scene.advanceToHard()
        scene.needToken(1)
        scene.advance(15)
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.resumed[1]?.first?.failure == .signedOut(.revoked))
        #expect(scene.storedPair == nil)
    }

    @Test("refused, newer generation in the vault → fresh(adopted)")
    func adopted() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        // The sibling renews first; our request comes second and is refused.
        scene.backend.refreshFaults = []
        scene.siblingRenews()
        scene.advance(0.3)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
        #expect(scene.signedOutReasons.isEmpty)
    }

    @Test("refused, record gone → signedOut(deletedExternally), and no file is made again")
    func deleted() {
        let scene = Scene.signedIn()
        scene.backend.refreshFaults = [.refused]
        scene.advanceToSoft()
        scene.vault.record = nil
        scene.advance(1)
        #expect(scene.state == .signedOut(.deletedExternally))
        #expect(scene.vault.record == nil)
    }

    @Test("a refusal before anything was lost is a revocation")
    func revoked() {
        #expect(Self.refused(.refused).state == .draining(.revoked))
    }

    @Test("a refusal after a server error may be a lost rotation")
    func afterServerError() {
        let scene = Self.refused(lifetime: 900, .status(502), .refused)
        scene.advance(20)
        #expect(scene.state == .draining(.lostRotation))
    }

    @Test(
        "a refusal after an answer that settled things is a revocation",
        arguments: [ScriptedBackend.Fault.status(429), .notSent, .clientFault(422)]
    )
    func afterSettled(fault: ScriptedBackend.Fault) {
        let scene = Self.refused(lifetime: 900, fault, .refused)
        scene.advance(20)
        #expect(scene.state == .draining(.revoked))
    }

    @Test(
        "a token that is spent at each use and not given back is called so",
        arguments: [Rotation.maybe, .always]
    )
    func consumeWithoutReturn(rotation: Rotation) {
        let scene = Scene.signedIn(traits: .testing(rotation: rotation)) { $0.habit = .consumes }
        scene.advanceToSoft()
        scene.advance(0.3)
        #expect(scene.generation == 2)
        scene.advanceToSoft()
        scene.advance(0.3)
        #expect(scene.state == .draining(.consumeWithoutReturn))
        scene.advanceToHard()
        #expect(scene.state == .signedOut(.consumeWithoutReturn))
    }

    @Test("what was kept is remembered over a restart")
    func consumeWithoutReturnLater() {
        let traits = SessionTraits.testing(rotation: .maybe)
        let first = Scene.signedIn(traits: traits) { $0.habit = .consumes }
        first.advanceToSoft()
        first.advance(0.3)
        let scene = first.restarted(traits: traits)
        scene.advanceToSoft()
        scene.advance(0.3)
        #expect(scene.state == .draining(.consumeWithoutReturn))
    }

    @Test("a bare refusal counts only when it comes twice, 5 s apart or more")
    func bare() {
        let scene = Self.refused(lifetime: 900, .bareRefusal, .bareRefusal)
        let first = scene.now
        #expect(scene.state.name == "retrying")
        #expect(scene.vault.record?.journal == nil)
        scene.advance(until: { $0.state == .draining(.revoked) })
        #expect(scene.now - first >= 5)
        #expect(scene.refreshes.count == 2)
    }

    @Test("two bare refusals in a hurry are one")
    func bareInAHurry() {
        let scene = Self.refused(lifetime: 900, .bareRefusal, .bareRefusal)
        scene.advance(1)
        scene.send(.refreshNow)
        scene.advance(1)
        #expect(scene.refreshes.count == 2)
        #expect(scene.state.name == "retrying")
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.generation == 2)
    }

    @Test("a bare refusal and then a success were a captive portal")
    func captivePortal() {
        let scene = Self.refused(lifetime: 900, .bareRefusal)
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.generation == 2)
        scene.backend.refreshFaults = [.bareRefusal]
        scene.advanceToSoft()
        scene.advance(0.3)
        #expect(scene.state.name == "retrying")
    }

    @Test("two bare refusals end a session that has a dead access token")
    func bareWhenDead() {
        let scene = Self.refused(lifetime: 5, .bareRefusal, .bareRefusal)
        scene.advance(30)
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.refreshes.count == 2)
    }

    @Test("transient answers never sign out", arguments: 0..<30)
    func transientNeverSignsOut(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let scene = Scene.signedIn(seed: seed) {
            $0.refreshLifetime = nil
            $0.grace = .infinity
            $0.accessLifetime = [5, 60, 900].randomElement(using: &random) ?? 60
        }
        let faults: [ScriptedBackend.Fault] = [
            .notSent, .lostRequest, .lostAnswer, .status(429), .status(500), .status(503),
            .clientFault(404), .clientFault(302), .undecodable,
        ]
        scene.backend.refreshFaults = (0..<60).compactMap { _ in
            faults.randomElement(using: &random)
        }
        scene.advance(4000)
        #expect(scene.signedOutReasons.isEmpty)
        #expect(scene.state.isLive)
        #expect(scene.state.name != "draining")
    }
}
