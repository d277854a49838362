import Basics
import Client
import Profiles
import Testing

@testable import Model

@Suite("ClientMachine: terminal answers")
struct SessionRefusalTests {
    private static func refused(
        configuration: SessionConfiguration = .testing(),
        lifetime: Double = 60,
        _ faults: ScriptedBackend.Fault...
    ) -> MachineHarness {
        let harness = MachineHarness.signedIn(configuration: configuration) {
            $0.accessLifetime = lifetime
        }
        harness.backend.refreshFaults = faults
        harness.advanceToSoft()
        harness.advance(0.3)
        return harness
    }

    @Test("refused, unchanged, now < hard → draining(why): calls succeed until hard")
    func draining() {
        let harness = Self.refused(.refused)
        #expect(harness.state == .draining(.revoked))
        #expect(harness.has("draining"))
        harness.request(1)
        harness.advance(0.3)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.storedPair?.tokens.refresh == nil)
        #expect(harness.storedPair != nil)
    }

    @Test("the refusal brings what the backend said, and how old the token was when it was sent")
    func words() throws {
        let harness = Self.refused(.refused)
        #expect(harness.refusal?.message == "no")
        let refused = try #require(harness.requestRecords.last { $0.purpose == .refresh })
        let age = try #require(refused.tokenAge)
        #expect(abs(age + refused.seconds - (harness.refusal?.age ?? 0)) < 0.001)
        harness.request(1)
        harness.advance(0.3)
        let sent = try #require(harness.requestRecords.last { $0.purpose == .protected })
        #expect((sent.tokenAge ?? 0) > age)
        #expect(harness.requestRecords.first { $0.purpose == .login }?.tokenAge == nil)
    }

    @Test("where the profile says so, a refusal ends the session at once and erases both tokens")
    func endsAtOnce() {
        let harness = Self.refused(configuration: .testing(refusalEnds: true), .refused)
        #expect(harness.state == .signedOut(.revoked))
        #expect(!harness.has("draining"))
        #expect(harness.storedPair == nil)
        #expect(harness.vault.record?.ending?.refusal?.message == "no")
        #expect(harness.feedOrders.last == .ended)
        harness.request(1)
        #expect(harness.finished[1] == [.noToken(.signedOut(.revoked))])
    }

    @Test("where the profile says so, a session that another run drained ends at the start")
    func endsAtStart() {
        let first = Self.refused(.refused)
        #expect(first.state == .draining(.revoked))
        let harness = first.restarted(
            configuration: .testing(logInAtStart: false, refusalEnds: true)
        )
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.storedPair == nil)
        #expect(harness.refusal?.message == "no")
    }

    @Test("a refusal ends the session at once if a request was refused during the renewal")
    func refusedDuringRenewal() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 2 }
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.advance(0.1)
        harness.backend.protectedFaults = [.refused]
        harness.backend.roundTrip = 0.3
        harness.request(1)
        harness.advance(3)
        #expect(harness.refreshes.map(\.cause) == [.timer])
        #expect(harness.finished[1] == [.rejected(status: 401)])
        #expect(harness.state == .signedOut(.revoked))
    }

    @Test("draining, hard → signedOut(why), and the token is not sent again")
    func drainingEnds() {
        let harness = Self.refused(.refused)
        harness.advanceToHard()
        harness.settle()
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.refreshes.count == 1)
        #expect(harness.storedPair == nil)
        #expect(harness.feedOrders.last == .ended)
        harness.advance(1000)
        #expect(harness.refreshes.count == 1)
    }

    @Test("draining, 401(current) → signedOut(why)")
    func drainingRejected() {
        let harness = Self.refused(.refused)
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(1)
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.finished[1] == [.rejected(status: 401)])
    }

    @Test("draining, a refusal of the feed's ends nothing: it may mean anything")
    func drainingFeedRejected() {
        let harness = Self.refused(.refused)
        harness.send(.feedRejected(generation: 1))
        harness.settle()
        #expect(harness.state == .draining(.revoked))
    }

    @Test(
        "a refusal of the feed's ends nothing where nothing can be renewed",
        arguments: [1.0, 100]
    )
    func feedRejectedWithoutRenewal(seconds: Double) {
        let harness = MachineHarness.signedIn(configuration: .testing(hasRefreshToken: false)) {
            $0.hasRefreshToken = false
        }
        // After more than a minute the token is over, and it is the clock's to say so.
        harness.sleep(seconds)
        harness.send(.feedRejected(generation: 1))
        #expect(harness.state == .fresh)
    }

    @Test("draining, no user or caller sends the refused token again")
    func drainingIsFinal() {
        let harness = Self.refused(.refused)
        harness.send(.refreshNow)
        harness.send(.setPaused(.timer))
        harness.send(.setPaused(nil))
        harness.needToken(1)
        harness.advance(5)
        #expect(harness.refreshes.count == 1)
        #expect(harness.rejections.count == 1)
        #expect(harness.resumed[1]?.first?.generation == 1)
    }

    @Test("refused, unchanged, now ≥ hard → signedOut(why)")
    func signedOut() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.backend.refreshFaults = [.refused]
        harness.advanceToHard()
        harness.needToken(1)
        harness.advance(15)
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.resumed[1]?.first?.failure == .signedOut(.revoked))
        #expect(harness.storedPair == nil)
    }

    @Test("refused, newer generation in the vault → fresh(adopted)")
    func adopted() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        // The sibling renews first; our request comes second and is refused.
        harness.backend.refreshFaults = []
        harness.siblingRenews()
        harness.advance(0.3)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("refused, record removed → signedOut(deletedExternally), and no file is created")
    func deleted() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.vault.record = nil
        harness.advance(1)
        #expect(harness.state == .signedOut(.deletedExternally))
        #expect(harness.vault.record == nil)
    }

    @Test("a refusal before anything was lost is a revocation")
    func revoked() {
        #expect(Self.refused(.refused).state == .draining(.revoked))
    }

    @Test("a refusal after a server error may be a lost rotation")
    func afterServerError() {
        let harness = Self.refused(lifetime: 900, .status(502), .refused)
        harness.advance(20)
        #expect(harness.state == .draining(.lostRotation))
    }

    @Test(
        "a refusal after an answer that settled things is a revocation",
        arguments: [ScriptedBackend.Fault.status(429), .notSent, .clientFault(422)]
    )
    func afterSettled(fault: ScriptedBackend.Fault) {
        let harness = Self.refused(lifetime: 900, fault, .refused)
        harness.advance(20)
        #expect(harness.state == .draining(.revoked))
    }

    @Test(
        "a token that is spent at each use and not given back is called so",
        arguments: [Rotation.maybe, .always]
    )
    func consumeWithoutReturn(rotation: Rotation) {
        let harness = MachineHarness.signedIn(configuration: .testing(rotation: rotation)) {
            $0.behavior = .consumes
        }
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.generation == 2)
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.state == .draining(.consumeWithoutReturn))
        harness.advanceToHard()
        #expect(harness.state == .signedOut(.consumeWithoutReturn))
    }

    @Test("what was kept is remembered over a restart")
    func consumeWithoutReturnLater() {
        let configuration = SessionConfiguration.testing(rotation: .maybe)
        let first = MachineHarness.signedIn(configuration: configuration) {
            $0.behavior = .consumes
        }
        first.advanceToSoft()
        first.advance(0.3)
        let harness = first.restarted(configuration: configuration)
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.state == .draining(.consumeWithoutReturn))
    }

    @Test("a token that was accepted again after it was kept is not called spent by its use")
    func reusable() {
        let configuration = SessionConfiguration.testing(rotation: .maybe)
        let first = MachineHarness.signedIn(configuration: configuration) {
            $0.behavior = .keepsSilently
            $0.refreshLifetime = nil
        }
        for _ in 1...2 {
            first.advanceToSoft()
            first.advance(0.3)
        }
        #expect(first.generation == 3)
        let harness = first.restarted(configuration: configuration)
        harness.backend.endFamilies()
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.state == .draining(.revoked))
        #expect(
            harness.refusal?.possibleCauses == [.expired, .usedElsewhere, .revoked, .forgotten]
        )
        #expect(harness.refusal?.lifetime == nil)
    }

    @Test(
        "a refusal names the causes that its evidence leaves open, and no other",
        arguments: [
            // A stated life that is not over rules an expiry out.
            (Rotation.never, 86_400, false, [PossibleCause.revoked, .forgotten]),
            (.always, 86_400, false, [.usedElsewhere, .revoked, .forgotten]),
            (.always, nil, false, [.expired, .usedElsewhere, .revoked, .forgotten]),
            (.always, 86_400, true, [.answerLost, .usedElsewhere, .revoked, .forgotten]),
        ] as [(Rotation, Double?, Bool, [PossibleCause])]
    )
    func possibleCauses(
        rotation: Rotation,
        lifetime: Double?,
        losesAnswer: Bool,
        expected: [PossibleCause]
    ) throws {
        let harness = MachineHarness.signedIn(configuration: .testing(rotation: rotation)) {
            $0.refreshLifetime = lifetime
        }
        harness.backend.refreshFaults = losesAnswer ? [.lostAnswer, .refused] : [.refused]
        harness.advanceToSoft()
        harness.advance(until: { $0.refusal != nil })
        let refusal = try #require(harness.refusal)
        #expect(refusal.possibleCauses == expected)
        #expect(refusal.lifetime == lifetime)
        #expect(refusal.age > 0)
        #expect(refusal.sendsWithoutAnswer == (losesAnswer ? 1 : 0))
        #expect(harness.count("refreshTokenRefused") == 1)
    }

    @Test(
        "a refusal that states its cause leaves no other open, and the session ends by that",
        arguments: [
            ([.expired], false, .refreshExpired, [PossibleCause.expired]),
            ([.inactive], false, .sessionExpired, [.inactive]),
            (
                [.inactive, .sessionEnded], false, .sessionExpired, [.inactive, .sessionEnded]
            ),
            (
                [.revoked, .inactive, .sessionEnded], false, .revoked,
                [.revoked, .inactive, .sessionEnded]
            ),
            ([.revoked], true, .revoked, [.revoked]),
            ([.used], false, .revoked, [.usedElsewhere]),
            ([.used], true, .lostRotation, [.answerLost, .usedElsewhere]),
            ([.unknown], false, .revoked, [.revoked, .forgotten]),
            ([.unknown], true, .lostRotation, [.answerLost, .revoked, .forgotten]),
        ] as [([RefusalCause], Bool, SignedOutReason, [PossibleCause])]
    )
    func statedCauses(
        stated: [RefusalCause],
        losesAnswer: Bool,
        reason: SignedOutReason,
        expected: [PossibleCause]
    ) throws {
        let harness = MachineHarness.signedIn(configuration: .testing(rotation: .always)) {
            $0.refreshLifetime = 86_400
        }
        harness.backend.refreshFaults =
            losesAnswer ? [.lostAnswer, .refusedAs(stated)] : [.refusedAs(stated)]
        harness.advanceToSoft()
        harness.advance(until: { $0.refusal != nil })
        #expect(harness.refusal?.possibleCauses == expected)
        harness.advance(0.3)
        #expect([.draining(reason), .signedOut(reason)].contains(harness.state))
    }

    @Test(
        "a life that may be stated in milliseconds does not rule an expiry out",
        arguments: [
            // A refresh token of 20 s that is said to live for 20 000.
            (20_000.0, true), (86_400, false), (4_000, false),
        ]
    )
    func misreadLife(lifetime: Double, isPossible: Bool) throws {
        let harness = MachineHarness.signedIn(configuration: .testing(rotation: .always)) {
            $0.refreshLifetime = lifetime
        }
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.advance(until: { $0.refusal != nil })
        let refusal = try #require(harness.refusal)
        #expect(refusal.age > 19 && refusal.age < 85)
        #expect(refusal.possibleCauses.contains(.lifetimeMisread) == isPossible)
        #expect(refusal.possibleCauses.contains(.revoked))
        #expect(refusal.source == .lifetime)
        #expect(refusal.lifetime == lifetime)
    }

    @Test("how a session ended is known to the next run")
    func endedBefore() throws {
        let first = Self.refused(.refused)
        first.advanceToHard()
        #expect(first.state == .signedOut(.revoked))
        let end = first.now
        let harness = first.restarted(after: 90, configuration: .testing(logInAtStart: false))
        #expect(harness.state == .signedOut(.never))
        let ending = try #require(SessionSnapshot(folding: harness.events).lastEnding)
        #expect(ending.reason == .revoked)
        #expect(abs(harness.now - 90 - end) < 1)
        #expect(abs(ending.at.now.seconds(since: .origin) - end) < 1)
        #expect(first.vault.record?.pair == nil)
        // A login leaves nothing of it.
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.vault.record?.ending == nil)
    }

    @Test("what the backend said when it refused the refresh token is known to the next run")
    func saidBefore() throws {
        let first = Self.refused(.refused)
        let refusal = try #require(first.refusal)
        #expect(refusal.message == "no")
        // While the access token can still be used.
        let draining = first.restarted(configuration: .testing(logInAtStart: false))
        #expect(draining.state == .draining(.revoked))
        #expect(draining.refusal == refusal)
        draining.advanceToHard()
        #expect(draining.state == .signedOut(.revoked))
        // After the end.
        let next = draining.restarted(after: 90, configuration: .testing(logInAtStart: false))
        let ending = try #require(SessionSnapshot(folding: next.events).lastEnding)
        #expect(ending.reason == .revoked)
        #expect(ending.refusal == refusal)
    }

    @Test("a logout of a session that drains is not explained by the refusal")
    func logoutWhileDraining() throws {
        let first = Self.refused(.refused)
        first.send(.logOut(.this))
        first.advance(1)
        let ending = try #require(first.vault.record?.ending)
        #expect(ending.reason == .user)
        #expect(ending.refusal == nil)
    }

    @Test("what the backend said to another process is told here too", arguments: [true, false])
    func saidElsewhere(isOver: Bool) throws {
        let harness = MachineHarness.signedIn()
        let refusal = RefusalEvidence(
            age: 5,
            lifetime: nil,
            sendsWithoutAnswer: 0,
            possibleCauses: [.revoked],
            message: "reused"
        )
        if isOver {
            harness.siblingEnds(.revoked)
            harness.vault.record?.ending?.refusal = refusal
        } else {
            let tokens = try #require(harness.vault.record?.pair?.tokens)
            harness.vault.record?.pair?.tokens = TokenPair(access: tokens.access, refresh: nil)
            harness.vault.record?.pair?.ending = .revoked
            harness.vault.record?.pair?.refusal = refusal
        }
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.refusal == refusal)
        #expect(harness.state == (isOver ? .signedOut(.revoked) : .draining(.revoked)))
    }

    @Test("a bare refusal counts only when it comes twice, 5 s apart or more")
    func bare() {
        let harness = Self.refused(lifetime: 900, .bareRefusal, .bareRefusal)
        let first = harness.now
        #expect(harness.state.name == "retrying")
        #expect(harness.vault.record?.journal == nil)
        harness.advance(until: { $0.state == .draining(.revoked) })
        #expect(harness.now - first >= 5)
        #expect(harness.refreshes.count == 2)
    }

    @Test("two bare refusals in a hurry are one")
    func bareInAHurry() {
        let harness = Self.refused(lifetime: 900, .bareRefusal, .bareRefusal)
        harness.advance(1)
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.refreshes.count == 2)
        #expect(harness.state.name == "retrying")
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 2)
    }

    @Test("a bare refusal and then a success were a captive portal")
    func captivePortal() {
        let harness = Self.refused(lifetime: 900, .bareRefusal)
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 2)
        harness.backend.refreshFaults = [.bareRefusal]
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.state.name == "retrying")
    }

    @Test("two bare refusals end a session that has a dead access token")
    func bareWhenDead() {
        let harness = Self.refused(lifetime: 5, .bareRefusal, .bareRefusal)
        harness.advance(30)
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.refreshes.count == 2)
    }

    @Test("transient answers never sign out", arguments: 0..<30)
    func transientNeverSignsOut(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let harness = MachineHarness.signedIn(seed: seed) {
            $0.refreshLifetime = nil
            $0.grace = .infinity
            $0.accessLifetime = [5, 60, 900].randomElement(using: &random) ?? 60
        }
        let faults: [ScriptedBackend.Fault] = [
            .notSent, .lostRequest, .lostAnswer, .status(429), .status(500), .status(503),
            .clientFault(404), .clientFault(302), .undecodable,
        ]
        harness.backend.refreshFaults = (0..<60).compactMap { _ in
            faults.randomElement(using: &random)
        }
        harness.advance(4000)
        #expect(harness.signedOutReasons.isEmpty)
        #expect(harness.state.isLive)
        #expect(harness.state.name != "draining")
    }
}
