import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: the revocation of a logout")
struct SessionRevocationTests {
    private static func draining(_ needs: LogoutNeeds) -> MachineHarness {
        let harness = MachineHarness.signedIn(
            configuration: .testing(logoutNeeds: [
                .this: needs, .everywhere: LogoutNeeds(refresh: true, access: true),
            ])
        )
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.advance(1)
        return harness
    }

    @Test("without the refresh token that it needs, nothing is kept, and why is said")
    func nothingToSend() {
        let harness = Self.draining(LogoutNeeds(refresh: true))
        harness.send(.logOut(.this))
        #expect(harness.vault.record?.outbox == [])
        harness.settle()
        #expect(harness.state == .signedOut(.user))
        #expect(harness.revocationPhases == [.noRefreshToken])
        #expect(harness.revocations.isEmpty)
    }

    @Test("where the access token does as well, that is sent")
    func accessInstead() {
        let harness = Self.draining(LogoutNeeds(refresh: true, accessSuffices: true))
        let access = harness.machine.held?.tokens.access
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.revocations.map(\.entry.access) == [access])
        #expect(harness.revocationPhases == [.done])
    }

    @Test("it is forgotten when the access token that is sent ends")
    func accessEnds() {
        let harness = Self.draining(LogoutNeeds(refresh: true, accessSuffices: true))
        harness.backend.logoutFaults = Array(repeating: .notSent, count: 100)
        harness.send(.logOut(.this))
        harness.advance(120)
        #expect(harness.vault.record?.outbox == [])
        #expect(harness.revocationPhases.last == .expired)
    }

    @Test("an access token that is not needed is not kept")
    func noMoreThanNeeded() {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.vault.record?.outbox.map(\.access) == [nil])
    }

    @Test("one that is delivered before its logout is stored ends the logout once it is stored")
    func deliveredBeforeStored() {
        let harness = MachineHarness.signedIn()
        harness.backend.logoutFaults = [.notSent]
        harness.send(.logOut(.this))
        harness.advance(1)
        harness.send(.logIn)
        harness.advance(3.8)
        #expect(harness.state == .fresh)
        // The first logout is sent again during the write, and the second one with it.
        harness.vault.latency = 2
        harness.send(.logOut(.this))
        harness.advance(1.9)
        #expect(harness.state == .signingOut(.this))
        #expect(harness.revocations.count == 3)
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.revocationPhases == [.pending, .done, .done])
    }

    @Test("one that needs a live access token is forgotten with that token's end")
    func liveAccessNeeded() {
        let harness = MachineHarness.signedIn()
        harness.backend.logoutFaults = Array(repeating: .notSent, count: 100)
        harness.send(.logOut(.everywhere))
        harness.advance(90)
        #expect(harness.vault.record?.outbox == [])
        #expect(harness.revocationPhases.last == .noAccessToken)
    }

    @Test("one that needs an access token that has ended is not kept, and why is said")
    func endedAccess() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(logoutNeeds: [.this: LogoutNeeds(refresh: true, access: true)])
        )
        harness.send(.setPaused(.timer))
        harness.advance(100)
        #expect(harness.state.name == "expired")
        harness.send(.logOut(.this))
        #expect(harness.vault.record?.outbox == [])
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.revocationPhases == [.noAccessToken])
        #expect(harness.revocations.isEmpty)
    }

    @Test("one whose access token ended while nothing ran is not sent at the next start")
    func endedBeforeTheStart() {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.send(.logOut(.everywhere))
        harness.advance(1)
        #expect(harness.vault.record?.outbox.count == 1)
        let next = harness.restarted(
            after: 3600,
            configuration: .testing(logInAtStart: false)
        )
        next.backend.isUnreachable = false
        next.advance(60)
        #expect(next.revocations.isEmpty)
        #expect(next.revocationPhases == [.noAccessToken])
        #expect(next.vault.record?.outbox == [])
    }

    @Test("logging out everywhere without the refresh token that it needs is refused")
    func everywhere() {
        let harness = Self.draining(LogoutNeeds(refresh: true))
        harness.send(.logOut(.everywhere))
        harness.advance(1)
        #expect(harness.state == .draining(.revoked))
        #expect(harness.rejections.count == 1)
        #expect(harness.revocations.isEmpty)
    }

    @Test("what was stored and can never be sent is dropped at the start, and that is said")
    func droppedAtStart() throws {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.send(.logOut(.this))
        harness.advance(1)
        let good = try #require(harness.vault.record?.outbox.first)
        var bad = good
        bad.id = "bad"
        bad.refresh = nil
        bad.access = AccessToken(Secret("ACCESS-secret-of-1-1"))
        harness.vault.record?.outbox = [bad, good]
        let next = harness.restarted(configuration: .testing(logInAtStart: false))
        #expect(next.vault.record?.outbox.map(\.id) == [good.id])
        #expect(next.revocationPhases.first == .noRefreshToken)
        next.backend.isUnreachable = false
        next.advance(60)
        #expect(next.revocationPhases.last == .done)
        #expect(next.vault.record?.outbox == [])
    }

    @Test("an answer that does not know the token is not called an acknowledgement")
    func notKnown() {
        let harness = MachineHarness.signedIn()
        harness.backend.logoutFaults = [.refused]
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.revocationPhases == [.notKnown])
        #expect(harness.vault.record?.outbox == [])
    }
}
